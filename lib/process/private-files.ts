import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Read and search permission for everybody: https://man7.org/linux/man-pages/man7/inode.7.html */
const READ_BY_ALL = 0o004;
const SEARCH_BY_ALL = 0o001;

interface PrivateFile {
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Returns the files and folders below a folder that not every user of this machine may read, as keys beside certificates are.
 * Links are not followed, and what is below such a folder is not named.
 */
export function privateFilesIn(folder: string): readonly PrivateFile[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) return [];
    if (isPrivate(path, entry.isDirectory())) return [{ path, isFolder: entry.isDirectory() }];
    return entry.isDirectory() ? privateFilesIn(path) : [];
  });
}

/** The kernel shows a user's keys to all that run as the user: https://man7.org/linux/man-pages/man7/keyrings.7.html */
export const KEYS: readonly PrivateFile[] = ['/proc/keys', '/proc/key-users'].map((path) => ({
  path,
  isFolder: false,
}));

/** Returns the files of /proc itself that only root may read: tables of the kernel, with addresses. */
export function privateKernelFiles(): readonly PrivateFile[] {
  return entriesOf('/proc').flatMap((entry) => {
    const path = join('/proc', entry.name);
    return entry.isFile() && isPrivate(path, false) ? [{ path, isFolder: false }] : [];
  });
}

/** Returns the arguments with which bubblewrap covers what still exists of these: a mount needs its place. */
export function covering(files: readonly PrivateFile[]): readonly string[] {
  return files
    .filter(({ path }) => existsSync(path))
    .flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    );
}

function isPrivate(path: string, isFolder: boolean): boolean {
  const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  const needed = isFolder ? READ_BY_ALL | SEARCH_BY_ALL : READ_BY_ALL;
  return (mode & needed) !== needed;
}

/** None of a folder that this user may not read: neither may the applications. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
