import type { AppVariables } from '../../../../core/ports/apps/app-variables.ts';
import { checkTotal, checkVariable, providerAppVariables, type VariableNames } from '../../provider/app-variables.ts';
import { ensureApp } from '../ensure-app.ts';
import type { HerokuParts } from '../parts.ts';
import { changeConfig, readConfig } from './config.ts';

/** https://devcenter.heroku.com/articles/config-vars#limits-and-policies */
const NAMES: VariableNames = {
  provider: 'Heroku',
  maxLength: 128,
  isReserved: (name) => /^(?:PORT|DYNO|PS|HEROKU_.*|__.*)$/.test(name),
};

/** Returns the variables of applications, which are the config vars of their apps on Heroku. */
export function herokuAppVariables(parts: HerokuParts): AppVariables {
  const call = { code: 'request:failed', parts } as const;
  return providerAppVariables(parts, {
    check: (name, value) => checkVariable(name, value, NAMES),
    read: (run) => readConfig(run, call),
    set: async (run, name, value) => {
      checkTotal({ ...(await readConfig(run, call)), [name]: value }, "Heroku's limit");
      await changeConfig(run, { [name]: value }, call);
    },
    unset: async (run, name) => {
      if (!Object.hasOwn(await readConfig(run, call), name)) return false;
      await changeConfig(run, { [name]: null }, call);
      return true;
    },
    ensureApp: (app, packageName) => ensureApp(app, packageName, parts),
  });
}
