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

/**
 * The number of the call `add_key`, which `request_key` and `keyctl` follow, of each architecture (AUDIT_ARCH): a process may
 * call the kernel as an older one does. https://man7.org/linux/man-pages/man2/syscalls.2.html
 */
const KEY_CALLS = {
  x86_64: [0xc000003e, 248],
  i386: [0x40000003, 286],
  aarch64: [0xc00000b7, 217],
  arm: [0x40000028, 309],
  riscv64: [0xc00000f3, 217],
  ppc64le: [0xc0000015, 269],
  s390x: [0x80000016, 278],
} as const;
/** Of a filter, on the number of a call and its architecture: https://docs.kernel.org/userspace-api/seccomp_filter.html */
const [LOAD, AND, EQUAL, LEAST, ABOVE, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x25, 0x06] as const;
const [NUMBER, ARCHITECTURE] = [0, 4] as const;
const [ALLOWED, NOT_PERMITTED] = [0x7fff0000, 0x00050001] as const;
/** Without the bit of x32, whose calls have the same numbers. */
const WITHOUT_X32 = 0xbfffffff;

/**
 * Returns a filter of seccomp that permits no call for keys, as containers do. What is in the keyring of the session from which
 * the service was started, such as tickets of Kerberos, could be read by all that runs below it, and changed.
 */
export function keyFilter(): Uint8Array {
  const known = Object.values(KEY_CALLS);
  const perArchitecture = known.flatMap(([architecture, first], at) => {
    const rest = (known.length - 1 - at) * 5;
    return [
      [EQUAL, 0, 4, architecture],
      [LOAD, 0, 0, NUMBER],
      [AND, 0, 0, WITHOUT_X32],
      [LEAST, 0, rest + 1, first],
      [ABOVE, rest, rest + 1, first + 2],
    ] as const;
  });
  const program = [
    [LOAD, 0, 0, ARCHITECTURE],
    ...perArchitecture,
    [RETURN, 0, 0, ALLOWED],
    [RETURN, 0, 0, NOT_PERMITTED],
  ] as const;
  const bytes = new Uint8Array(program.length * 8);
  const [halves, words] = [new Uint16Array(bytes.buffer), new Uint32Array(bytes.buffer)];
  for (const [at, [operation, ifTrue, ifFalse, value]] of program.entries()) {
    halves[at * 4] = operation;
    bytes.set([ifTrue, ifFalse], at * 8 + 2);
    words[at * 2 + 1] = value;
  }
  return bytes;
}

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
