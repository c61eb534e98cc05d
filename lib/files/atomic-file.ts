import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface WriteOptions {
  /** Survives a power cut, not only the end of the process: for what cannot be made again, such as users and keys. */
  readonly durable?: boolean;
  /** Readable by its owner only: passwords, tokens, variables. */
  readonly secret?: boolean;
  /** A program or script that can be run. */
  readonly executable?: boolean;
}

/**
 * Replaces a file atomically: readers see the old content or the new one, never a part, even after a crash. The
 * text is written to a temporary file beside it, which is then renamed. The folder must exist.
 */
export async function replaceFile(
  path: string,
  text: string,
  options: Pick<WriteOptions, 'secret'> = {},
): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: modeOf(options) });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Like `replaceFile`, synchronously. */
export function replaceFileSync(path: string, text: string, options: WriteOptions = {}): void {
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: modeOf(options), flush: options.durable ?? false });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (options.durable) syncFolder(dirname(path));
}

function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}

function modeOf({ secret, executable }: WriteOptions): number {
  const mode = secret ? 0o600 : 0o644;
  return executable ? mode | 0o111 : mode;
}

/** A rename survives a power cut once its folder is synced: https://man7.org/linux/man-pages/man2/fsync.2.html */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The file of an interrupted write: `<name>.<12 hex digits>.tmp`. */
const TEMPORARY = /\.[\da-f]{12}\.tmp$/;
/** Folders of others: what applications store is theirs, whatever its name, and the rest is large. */
const SKIPPED = /^(?:data|homes|releases|spares|node_modules|build-caches|user-caches|tools|cdk\.out|.*\.git)$/;

/**
 * Removes the temporary files of writes that a kill has interrupted, below a folder that no other process writes to. A
 * file that cannot be removed stays.
 *
 * @param own names of entries of the folder itself that are left over as well
 */
export async function removeLeftovers(folder: string, own: RegExp = /^\b$/): Promise<void> {
  await sweep(folder, (name) => own.test(name) || TEMPORARY.test(name));
}

async function sweep(folder: string, isLeftOver: (name: string) => boolean): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isLeftOver(entry.name)) await rm(path, { recursive: true, force: true }).catch(() => {});
    else if (entry.isDirectory() && !SKIPPED.test(entry.name)) await sweep(path, (name) => TEMPORARY.test(name));
  }
}
