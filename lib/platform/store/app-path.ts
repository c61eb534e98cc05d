import { HttpError } from '../http-error.ts';

const MOST_CHARACTERS = 512;

/**
 * Returns the folder of an application in its repository, without slashes at its ends: `packages/web`, or an empty
 * string for the root. Throws 400 for a path that is absolute, leads out of the repository, or is no string.
 */
export function checkedAppPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > MOST_CHARACTERS || !isRelative(path)) {
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
