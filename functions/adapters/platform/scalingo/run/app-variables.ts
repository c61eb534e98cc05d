import { DeployError } from '../../../../core/errors.ts';
import type { AppVariables } from '../../../../core/ports/apps/app-variables.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import { messageIn } from '../api.ts';
import { ensureApp } from '../ensure-app.ts';
import type { ScalingoParts } from '../parts.ts';
import { readVariables } from './variables.ts';

const CODE = 'request:failed';
/** https://developers.scalingo.com/environment#add-environment-variables-to-an-app */
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 32_768;
/** What Scalingo sets in containers and builds: https://doc.scalingo.com/platform/app/environment */
const OF_SCALINGO = new Set([
  ...['PORT', 'APP', 'CONTAINER', 'CONTAINER_VERSION', 'CONTAINER_SIZE', 'CONTAINER_MEMORY', 'HOSTNAME', 'STACK'],
  ...['REGION_NAME', 'SOURCE_VERSION', 'SCALINGO_APPLICATION_ID'],
]);

/** Returns the variables of applications, which are those of their apps on Scalingo. */
export function scalingoAppVariables(parts: ScalingoParts): AppVariables {
  const call = { code: CODE, parts } as const;
  const idOf = async (app: AppRef) => (await parts.table.read(keys.app(app)))?.run;
  const on = <T>(app: AppRef, work: () => Promise<T>) => onAws(CODE, `the variables of ${app.app}`, work);
  return {
    read: (app) =>
      on(app, async () => {
        const run = await idOf(app);
        if (run === undefined) return null;
        return Object.fromEntries((await readVariables(run, call)).map(({ name, value }) => [name, value]));
      }),
    set: (app, name, value) =>
      on(app, async () => {
        checkVariable(name, value);
        const run = await idOf(app);
        if (run === undefined) return false;
        await setVariable(run, { name, value }, parts);
        return true;
      }),
    unset: (app, name) =>
      on(app, async () => {
        const run = await idOf(app);
        const known = run === undefined ? undefined : (await readVariables(run, call)).find((one) => one.name === name);
        if (run === undefined || !known) return false;
        const path = ['apps', run, 'variables', known.id];
        const what = 'the change of a variable';
        const { status } = await parts.api({ method: 'DELETE', path, code: CODE, what, accept: [404] });
        return status !== 404;
      }),
    create: (app, packageName) => on(app, () => ensureApp(app, packageName, parts)),
  };
}

/** One call sets a variable, whether there is one of this name or not. */
async function setVariable(
  run: string,
  variable: { readonly name: string; readonly value: string },
  { api }: ScalingoParts,
): Promise<void> {
  const request = { path: ['apps', run, 'variables'], json: { variables: [variable] }, code: CODE } as const;
  const { status, body } = await api({ ...request, method: 'PUT', what: 'the change of a variable', accept: [422] });
  if (status !== 422) return;
  const detail = `Scalingo refused the variable ${variable.name}: ${messageIn(body) ?? 'no reason given'}`;
  throw new DeployError('request:bad_parameter', detail);
}

function checkVariable(name: string, value: string): void {
  if (OF_SCALINGO.has(name)) throw new DeployError('request:bad_parameter', `${name} is set by the platform.`);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > MAX_NAME_LENGTH) {
    const detail = 'On Scalingo the name of a variable has 1 to 64 letters, digits and _, and begins with no digit.';
    throw new DeployError('request:bad_parameter', detail);
  }
  if (value.includes('\0')) {
    throw new DeployError('request:bad_parameter', `The value of ${name} holds a NUL character.`);
  }
  if (value.length <= MAX_VALUE_LENGTH) return;
  const more = value.length - MAX_VALUE_LENGTH;
  const detail = `The value of ${name} is ${more} characters longer than the ${MAX_VALUE_LENGTH} that Scalingo allows.`;
  throw new DeployError('request:too_large', detail);
}
