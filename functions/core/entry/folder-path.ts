import { DeployError } from '../errors.ts';

const MAX_PATH_CHARACTERS = 250;

/**
 * Returns the folder that the parameter `path` names: its segments, without slashes at the ends; undefined for the root
 * of the repository. Throws `request:bad_parameter` for a path that leads out of it.
 */
export function folderPath(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isUsable = !text.startsWith('/') && !segments.includes('..') && !/[\p{Cc}\p{Cs}\\]/u.test(text);
  if (isUsable && text.length <= MAX_PATH_CHARACTERS) return segments.length === 0 ? undefined : segments.join('/');
  const detail =
    'The parameter path must be a folder of the repository, such as packages/web: relative and without "..".';
  throw new DeployError('request:bad_parameter', detail);
}
