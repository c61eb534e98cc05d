/**
 * A failure of the database. The message is one sentence for the operator: what happened and what
 * to do about it. `cause` is the error of the database.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** By the start of the code: https://www.sqlite.org/rescode.html, and those of Node when it makes the file. */
const SENTENCES: Readonly<Record<string, (path: string) => string>> = {
  SQLITE_FULL: full,
  ENOSPC: full,
  SQLITE_NOTADB: damaged,
  SQLITE_CORRUPT: damaged,
  SQLITE_BUSY: inUse,
  SQLITE_LOCKED: inUse,
  SQLITE_READONLY: notWritable,
  SQLITE_PERM: notWritable,
  SQLITE_CANTOPEN: notWritable,
  ENOENT: notWritable,
  EACCES: notWritable,
  EROFS: notWritable,
  EISDIR: notWritable,
  SQLITE_IOERR: failed,
  EIO: failed,
};

/** Returns the error for a file that was removed, or replaced, after it had been opened. */
export function removed(path: string): StoreError {
  return new StoreError(
    `${path} was removed or replaced while the service runs, so nothing is stored: put it back, or start the service again.`,
  );
}

/** Returns an error of the database in words; any other error as it is. */
export function explained(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const [, sentence] = Object.entries(SENTENCES).find(([start]) => code.startsWith(start)) ?? [];
  return sentence ? new StoreError(sentence(path), { cause: error }) : error;
}

function failed(path: string): string {
  return `The disk failed while ${path} was read or written: check the disk.`;
}

function full(path: string): string {
  return `The disk of ${path} is full: free some space on it.`;
}

function damaged(path: string): string {
  return `${path} is damaged: put a backup in its place, or move it away to begin without log, applications and users.`;
}

function inUse(path: string): string {
  return `Another process is using ${path}: end it, or wait until it is done.`;
}

function notWritable(path: string): string {
  return `${path} cannot be opened for writing: check that its folder exists and who may write there.`;
}
