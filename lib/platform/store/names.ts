import validate from 'validate-npm-package-name';
import { HttpError } from '../http-error.ts';

const USER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;
/** What npm's rules leave: no dot at the beginning, which `..` and hidden files have. */
const SEGMENT_PATTERN = /^[a-z0-9~-][a-z0-9._~-]*$/;
const SNAPSHOT_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
const VARIABLE_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** An application by its user and its name in paths. */
export interface AppName {
  readonly user: string;
  /** Its segment in paths, folders and host names: `@scope/app` is `scope-app`. */
  readonly app: string;
  /** The scoped name, when the path had it in full (`%40scope%2Fapp`). */
  readonly scoped?: string;
}

/** Returns the user name unchanged, or throws 400: it becomes a file name. */
export function checkedUser(name: string): string {
  if (USER_PATTERN.test(name)) return name;
  throw new HttpError(400, 'A user name has 1 to 64 letters, digits and . _ @ + - and begins with a letter or digit.');
}

/**
 * Returns the application's name unchanged, or throws 400 unless it is a package name by npm's rules
 * (https://docs.npmjs.com/cli/configuring-npm/package-json#name), which also make it safe as a folder and a host name.
 */
export function checkedAppName(name: string): string {
  if (isAppName(name)) return name;
  throw new HttpError(
    400,
    `"${name.slice(0, 80)}" is not a valid application name; npm's rules for package names apply.`,
  );
}

function isAppName(name: string): boolean {
  // The library throws on half a surrogate pair.
  if (/\p{Cs}/u.test(name)) return false;
  const { validForNewPackages, warnings = [] } = validate(name);
  // npm only reserves the names of Node's modules; an application may have one.
  const isValid =
    validForNewPackages || (warnings.length > 0 && warnings.every((text) => text.endsWith('core module name')));
  return isValid && SEGMENT_PATTERN.test(appSegment(name));
}

/** Returns the path segment of an application's name: `scope-app` for `@scope/app`, other names unchanged. */
export function appSegment(name: string): string {
  return name.startsWith('@') ? name.slice(1).replace('/', '-') : name;
}

/** Returns the application of two decoded path segments, or throws 400. */
export function appNamed(user: string, segment: string): AppName {
  const name = checkedAppName(segment);
  const app = { user: checkedUser(user), app: appSegment(name) };
  return name.startsWith('@') ? { ...app, scoped: name } : app;
}

/** Returns a key for maps of applications. */
export function appKey({ user, app }: AppName): string {
  return `${user}/${app}`;
}

/** Returns the host name of the application on the platform's own port: `<app>.<user>.localhost`. */
export function appHost({ user, app }: AppName): string {
  return `${label(app)}.${label(user)}.localhost`;
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

function label(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
}
