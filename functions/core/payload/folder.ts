import { badParameter } from '../errors.ts';

const MAX_PATH_CHARACTERS = 250;

/**
 * Returns a folder of a repository as its segments, without slashes at the ends, empty for the root; null for a path that
 * leads out of it.
 */
export function folderOf(text: string): string | null {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isUsable = !text.startsWith('/') && !segments.includes('..') && !/[\p{Cc}\p{Cs}\\]/u.test(text);
  return isUsable && text.length <= MAX_PATH_CHARACTERS ? segments.join('/') : null;
}

/**
 * Returns the folder that the parameter `path` names; undefined for the root of the repository. Throws
 * `request:bad_parameter` for a path that leads out of it.
 */
export function folderPath(text: string | undefined): string | undefined {
  const folder = folderOf(text ?? '');
  if (folder !== null) return folder || undefined;
  const detail =
    'The parameter path must be a folder of the repository, such as packages/web: relative and without "..".';
  throw badParameter(detail);
}

// `pr-<n>` is reserved for previews.
const ENVIRONMENT = /^(?!pr-\d+$)[a-z\d]+(-[a-z\d]+)*$/;
const MAX_ENVIRONMENT_CHARACTERS = 40;

export function isEnvironment(name: string): boolean {
  return ENVIRONMENT.test(name) && name.length <= MAX_ENVIRONMENT_CHARACTERS;
}

/** Returns the environment that the parameter names, in lower case. Throws `request:bad_parameter`. */
export function environmentNamed(text: string | undefined): string | undefined {
  const name = text?.toLowerCase();
  if (name === undefined || isEnvironment(name)) return name;
  const detail =
    `The parameter environment must be a word such as staging: up to ${MAX_ENVIRONMENT_CHARACTERS} letters, digits and ` +
    'single dashes between them, and not that of a preview (pr-7).';
  throw badParameter(detail);
}
