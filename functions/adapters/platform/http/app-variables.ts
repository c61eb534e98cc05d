import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { AppVariables } from '../../../core/ports/applications.ts';
import type { AppRef } from '../../../core/ports/platform.ts';
import { notUnderstood, readErrorMessage } from './answers.ts';
import { type PlatformCallOptions, platformCall } from './call.ts';

const TIMEOUT_MS = 8_000;

export function httpAppVariables(options: PlatformCallOptions): AppVariables {
  const call = platformCall(options);
  return {
    read: async (app) => {
      const { status, body } = await call({ ...to(app, 'env'), method: 'GET', accept: [404] });
      if (status === 404) return null;
      if (!isObject(body)) throw notUnderstood(`the variables of ${app.app}`);
      const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
      return Object.fromEntries(Object.entries(body).filter(isText));
    },
    set: async (app, json) => {
      const { status, body } = await call({ ...to(app, 'env'), method: 'PATCH', json, accept: [404, ...REFUSALS] });
      if (REFUSALS.includes(status)) throw refused(status, body);
      return status !== 404;
    },
    unset: async (app, name) => {
      const { status } = await call({ ...to(app, 'env', name), method: 'DELETE', accept: [404] });
      return status !== 404;
    },
    create: async (app, packageName) => {
      const { status, body } = await call({ ...to(app), method: 'PUT', json: { name: packageName }, accept: REFUSALS });
      if (status >= 400) throw refused(status, body);
    },
  };
}

const REFUSALS = [400, 409, 413];

/** The platform's sentences name the variable and never quote its value. */
function refused(status: number, body: unknown): DeployError {
  const code = status === 413 ? 'request:too_large' : 'request:bad_parameter';
  return new DeployError(code, readErrorMessage(body) ?? 'The platform refused the variable without a reason.');
}

function to({ user, app }: AppRef, ...more: readonly string[]) {
  const path = ['apps', user, app, ...more];
  return { user, path, code: 'request:failed', timeoutMs: TIMEOUT_MS, what: `the variables of ${app}` } as const;
}
