import { DeployError } from '../../../../core/errors.ts';
import type { AppVariables } from '../../../../core/ports/apps/app-variables.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import { ensureApp } from '../ensure-app.ts';
import type { HerokuParts } from '../parts.ts';
import { type Config, changeConfig, readConfig } from './config.ts';

const CODE = 'request:failed';
const NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/;
/**
 * What Heroku sets in each dyno, or keeps for itself: https://devcenter.heroku.com/articles/config-vars#limits-and-policies
 */
const OF_HEROKU = /^(?:PORT|DYNO|PS|HEROKU_.*|__.*)$/;
/** For the names and values of an app together. */
const MAX_BYTES = 64 * 1024;

/** Returns the variables of applications, which are the config vars of their apps on Heroku. */
export function herokuAppVariables(parts: HerokuParts): AppVariables {
  const call = { code: CODE, parts } as const;
  const idOf = async (app: AppRef) => (await parts.table.read(keys.app(app)))?.run;
  const on = <T>(app: AppRef, work: () => Promise<T>) => onAws(CODE, `the variables of ${app.app}`, work);
  return {
    read: (app) =>
      on(app, async () => {
        const id = await idOf(app);
        return id === undefined ? null : readConfig(id, call);
      }),
    set: (app, name, value) =>
      on(app, async () => {
        checkVariable(name, value);
        const id = await idOf(app);
        if (id === undefined) return false;
        checkSize({ ...(await readConfig(id, call)), [name]: value });
        await changeConfig(id, { [name]: value }, call);
        return true;
      }),
    unset: (app, name) =>
      on(app, async () => {
        const id = await idOf(app);
        if (id === undefined || !Object.hasOwn(await readConfig(id, call), name)) return false;
        await changeConfig(id, { [name]: null }, call);
        return true;
      }),
    create: (app, packageName) => on(app, () => ensureApp(app, packageName, parts)),
  };
}

function checkVariable(name: string, value: string): void {
  if (OF_HEROKU.test(name)) throw new DeployError('request:bad_parameter', `${name} is set by the platform.`);
  if (!NAME.test(name)) {
    const detail = 'On Heroku the name of a variable has 1 to 128 letters, digits and _, and begins with no digit.';
    throw new DeployError('request:bad_parameter', detail);
  }
  if (value.includes('\0'))
    throw new DeployError('request:bad_parameter', `The value of ${name} holds a NUL character.`);
}

function checkSize(config: Config): void {
  const bytes = Object.entries(config).reduce((sum, entry) => sum + Buffer.byteLength(entry.join('')), 0);
  if (bytes <= MAX_BYTES) return;
  const detail = `The variables are ${bytes - MAX_BYTES} bytes larger than Heroku's limit of 64 KB for an application.`;
  throw new DeployError('request:too_large', detail);
}
