import validate from 'validate-npm-package-name';
import { hasDotScope, nameProblem, appName as toLabel } from '../../../functions/core/entry/package-name.ts';
import { HttpError } from '../../http/http-error.ts';
import type { AppId } from '../../runner/calls.ts';

const USER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;
const SNAPSHOT_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
const VARIABLE_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export { appKey } from '../../runner/calls.ts';

/**
 * An application. Its name in paths is also that in folders and host names: `@scope/app` is `scope-app`, `my_app` is
 * `my-app`.
 */
export interface AppName extends AppId {
  /** The package's name, when the path had it in full (`%40scope%2Fapp`, `my_app`). */
  readonly full?: string;
}

/** Returns the user name unchanged, or throws 400: it becomes a file name. */
export function checkedUser(name: string): string {
  if (USER_PATTERN.test(name)) return name;
  throw new HttpError(400, 'A user name has 1 to 64 letters, digits and . _ @ + - and begins with a letter or digit.');
}

/** Returns the name of a package unchanged, or throws 400 when the service would not deploy it either. */
export function checkedPackage(name: string): string {
  const problem = nameProblem(name);
  if (problem === null) return name;
  throw new HttpError(400, `The name "${name.slice(0, 80)}" in the manifest ${problem}.`);
}

/**
 * Returns the application's name in a path unchanged, or throws 400 unless it is a name that npm accepts for new
 * packages (https://docs.npmjs.com/cli/configuring-npm/package-json#name).
 */
function checkedAppName(name: string): string {
  if (isAppName(name)) return name;
  throw new HttpError(
    400,
    `"${name.slice(0, 80)}" is not a valid application name; npm's rules for package names apply.`,
  );
}

function isAppName(name: string): boolean {
  // The library throws on half a surrogate pair.
  if (/\p{Cs}/u.test(name) || hasDotScope(name)) return false;
  const { validForNewPackages, warnings = [] } = validate(name);
  // npm only reserves the names of Node's modules; an application may have one.
  const isValid =
    validForNewPackages || (warnings.length > 0 && warnings.every((text) => text.endsWith('core module name')));
  return isValid && appSegment(name) !== '';
}

/**
 * Returns the application's name in paths from that of its package: the service's own mapping, by which it calls the
 * platform.
 */
export function appSegment(name: string): string {
  return toLabel(name);
}

/** Returns the application of two decoded path segments, or throws 400. */
export function appNamed(user: string, segment: string): AppName {
  const name = checkedAppName(segment);
  const app = { user: checkedUser(user), app: appSegment(name) };
  return app.app === name ? app : { ...app, full: name };
}

/** Returns the snapshot's id unchanged, or throws 400: it becomes a folder name. */
export function checkedSnapshot(id: string): string {
  if (SNAPSHOT_PATTERN.test(id)) return id;
  throw new HttpError(400, 'A snapshot id has 1 to 128 letters, digits and . _ + - and begins with a letter or digit.');
}

/** Returns the variable's name unchanged, or throws 400. The platform sets PORT and HOST itself. */
export function checkedVariable(name: string): string {
  if (name === 'PORT' || name === 'HOST')
    throw new HttpError(400, `${name} is set by the platform and cannot be stored.`);
  if (VARIABLE_PATTERN.test(name)) return name;
  throw new HttpError(400, `"${name.slice(0, 80)}" is not a name for a variable: letters, digits and _ only.`);
}

const MOST_PATH_CHARACTERS = 512;

/**
 * Returns the folder of an application in its repository, without slashes at its ends: `packages/web`, or an empty
 * string for the root. Throws 400 for a path that is absolute, leads out of the repository, or is no string.
 */
export function checkedAppPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > MOST_PATH_CHARACTERS || !isRelative(path)) {
    throw new HttpError(400, 'The field path is a folder of the repository, such as "packages/web".');
  }
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

function isRelative(path: string): boolean {
  // Control characters and backslashes have no place in a path that a person has written.
  if (path.startsWith('/') || /[\p{Cc}\\]/u.test(path)) return false;
  return !path.split('/').some((segment) => segment === '..' || segment === 'node_modules' || segment === '.git');
}
