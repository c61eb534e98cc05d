import { DeployError } from '../../../../core/errors.ts';
import type { AppVariables } from '../../../../core/ports/apps/app-variables.ts';
import { checkTotal, checkVariable, providerAppVariables, type VariableNames } from '../../provider/app-variables.ts';
import { messageIn } from '../api.ts';
import { ensureApp } from '../ensure-app.ts';
import type { ScalingoParts } from '../parts.ts';
import { readValues, readVariables } from './variables.ts';

const CODE = 'request:failed';
/** The variables that Scalingo sets in containers and builds: https://doc.scalingo.com/platform/app/environment */
const RESERVED = new Set([
  ...['PORT', 'APP', 'CONTAINER', 'CONTAINER_VERSION', 'CONTAINER_SIZE', 'CONTAINER_MEMORY', 'HOSTNAME', 'STACK'],
  ...['REGION_NAME', 'SOURCE_VERSION', 'SCALINGO_APPLICATION_ID'],
]);
/** https://developers.scalingo.com/environment#add-environment-variables-to-an-app */
const NAMES: VariableNames = { provider: 'Scalingo', maxLength: 64, isReserved: (name) => RESERVED.has(name) };
const MAX_VALUE_LENGTH = 32_768;

/** Returns the variables of applications, which are those of their apps on Scalingo. */
export function scalingoAppVariables(parts: ScalingoParts): AppVariables {
  const call = { code: CODE, parts } as const;
  return providerAppVariables(parts, {
    check: (name, value) => {
      checkVariable(name, value, NAMES);
      checkLength(name, value);
    },
    read: (run) => readValues(run, call),
    set: async (run, name, value) => {
      checkTotal({ ...(await readValues(run, call)), [name]: value }, 'the limit');
      await setVariable(run, { name, value }, parts);
    },
    unset: async (run, name) => {
      const known = (await readVariables(run, call)).find((one) => one.name === name);
      if (!known) return false;
      const path = ['apps', run, 'variables', known.id];
      const what = 'the change of a variable';
      const { status } = await parts.api({ method: 'DELETE', path, code: CODE, what, accept: [404] });
      return status !== 404;
    },
    ensureApp: (app, packageName) => ensureApp(app, packageName, parts),
  });
}

/** Creates the variable or replaces its value. */
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

function checkLength(name: string, value: string): void {
  if (value.length <= MAX_VALUE_LENGTH) return;
  const more = value.length - MAX_VALUE_LENGTH;
  const detail = `The value of ${name} is ${more} characters longer than the ${MAX_VALUE_LENGTH} that Scalingo allows.`;
  throw new DeployError('request:too_large', detail);
}
