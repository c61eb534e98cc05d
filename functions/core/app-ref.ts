import { appName, nameProblem } from './entry/package-name.ts';
import { DeployError } from './errors.ts';
import type { AppRef } from './ports/platform.ts';

/** A request whose path names an application. */
export interface AppRequest {
  readonly user: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the application that a path names, by the name in package.json (`@scope/app`, percent-encoded) or by the
 * platform's (`scope-app`). Throws `status:db:not_found` for what cannot be a name.
 */
export function appRef({ user, params }: AppRequest): AppRef {
  const name = params.application ?? '';
  if (nameProblem(name) !== null) throw unknownApp(name);
  return { user, app: appName(name) };
}

/** Returns the name of an application that the path makes: the package's, if the path has it in full. */
export function packageNameIn({ params }: AppRequest): string {
  return params.application ?? '';
}

/** Returns the value, or throws `status:db:not_found` when there is none. */
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
