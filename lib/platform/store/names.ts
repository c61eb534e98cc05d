import { HttpError } from '../http-error.ts';

const userPattern = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;
const appPattern = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const snapshotPattern = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** An application as a path names it. */
export interface AppName {
  readonly user: string;
  /** The one segment that stands for it in paths, folders and host names: `@scope/app` is `scope-app`. */
  readonly app: string;
  /** Given when the path wrote the scoped name in full (`%40scope%2Fapp`). */
  readonly scoped?: string;
}

/** The user name as it is, or 400: it becomes a file name. */
export function checkedUser(name: string): string {
  if (userPattern.test(name)) return name;
  throw new HttpError(400, 'A user name has 1 to 64 letters, digits and . _ @ + - and begins with a letter or digit.');
}

/**
 * The application's name by npm's rules for new packages (https://docs.npmjs.com/cli/configuring-npm/package-json#name),
 * or 400.
 */
export function checkedAppName(name: string): string {
  const valid = name.length <= 214 && appPattern.test(name) && name !== 'node_modules' && name !== 'favicon.ico';
  if (valid) return name;
  throw new HttpError(
    400,
    `"${name.slice(0, 80)}" is not a valid application name; npm's rules for package names apply.`,
  );
}

/** The path segment of an application's name: `@scope/app` becomes `scope-app`, other names stay. */
export function appSegment(name: string): string {
  return name.startsWith('@') ? name.slice(1).replace('/', '-') : name;
}

/** The application that two decoded path segments name, or 400. */
export function appNamed(user: string, segment: string): AppName {
  const name = checkedAppName(segment);
  const app = { user: checkedUser(user), app: appSegment(name) };
  return name.startsWith('@') ? { ...app, scoped: name } : app;
}

/** One key for maps of applications. */
export function appKey({ user, app }: AppName): string {
  return `${user}/${app}`;
}

/** The host name that leads to the application through the platform's own port: `<app>.<user>.localhost`. */
export function appHost({ user, app }: AppName): string {
  return `${label(app)}.${label(user)}.localhost`;
}

/** The snapshot's id as it is, or 400: it becomes a folder name. */
export function checkedSnapshot(id: string): string {
  if (snapshotPattern.test(id)) return id;
  throw new HttpError(400, 'A snapshot id has 1 to 128 letters, digits and . _ + - and begins with a letter or digit.');
}

/** The variable's name as it is, or 400. PORT and HOST belong to the platform, which sets them for each process. */
export function checkedVariable(name: string): string {
  if (name === 'PORT' || name === 'HOST')
    throw new HttpError(400, `${name} is set by the platform and cannot be stored.`);
  if (variablePattern.test(name)) return name;
  throw new HttpError(400, `"${name.slice(0, 80)}" is not a name for a variable: letters, digits and _ only.`);
}

function label(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
}
