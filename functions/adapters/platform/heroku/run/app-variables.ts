import { DeployError } from '../../../../core/errors.ts';
import type { AppVariables } from '../../../../core/ports/apps/app-variables.ts';
import { checkVariable, providerAppVariables, type VariableNames } from '../../provider/app-variables.ts';
import { ensureApp } from '../ensure-app.ts';
import type { HerokuParts } from '../parts.ts';
import { type Config, changeConfig, readConfig } from './config.ts';

/** https://devcenter.heroku.com/articles/config-vars#limits-and-policies */
const NAMES: VariableNames = {
  provider: 'Heroku',
  maxLength: 128,
  isReserved: (name) => /^(?:PORT|DYNO|PS|HEROKU_.*|__.*)$/.test(name),
};
/** For the names and values of an app together. */
const MAX_BYTES = 64 * 1024;

/** Returns the variables of applications, which are the config vars of their apps on Heroku. */
export function herokuAppVariables(parts: HerokuParts): AppVariables {
  const call = { code: 'request:failed', parts } as const;
  return providerAppVariables(parts, {
    check: (name, value) => checkVariable(name, value, NAMES),
    read: (run) => readConfig(run, call),
    set: async (run, name, value) => {
      checkSize({ ...(await readConfig(run, call)), [name]: value });
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

function checkSize(config: Config): void {
  const bytes = Object.entries(config).reduce((sum, entry) => sum + Buffer.byteLength(entry.join('')), 0);
  if (bytes <= MAX_BYTES) return;
  const detail = `The variables are ${bytes - MAX_BYTES} bytes larger than Heroku's limit of 64 KB for an application.`;
  throw new DeployError('request:too_large', detail);
}
