import { appName, nameProblem } from '../core/entry/package-name.ts';
import { DeployError } from '../core/errors.ts';
import type { AppRef } from '../core/ports/hosting-platform.ts';
import type { HttpRequest } from '../triggers/http.ts';

/** The part of a request that names an application. */
type AppRequest = Pick<HttpRequest, 'user' | 'params'>;

/**
 * Returns the application that a path names, by the name in package.json (`@scope/app`, percent-encoded) or by the
 * platform's (`scope-app`). Throws `status:db:not_found` for what cannot be a name.
 */
export function appRef({ user, params }: AppRequest): AppRef {
  const name = params.application ?? '';
  if (nameProblem(name) !== null) throw unknownApp(name);
  return { user, app: appName(name) };
}

/** Returns what was found, or throws `status:db:not_found`. */
export function required<T>(found: T | null, { params }: AppRequest): T {
  if (found !== null) return found;
  throw unknownApp(params.application ?? '');
}

const MAX_NAME_CHARACTERS = 80;

function unknownApp(name: string): DeployError {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
  return new DeployError(
    'status:db:not_found',
    `You have no application ${shown}. GET /1/apps/<user> lists your applications.`,
  );
}
