import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The file of an interrupted write: `<name>.<12 hex digits>.tmp`. */
const TEMPORARY = /\.[\da-f]{12}\.tmp$/;
/** Folders of others: what applications store is theirs, whatever its name, and the rest is large. */
const SKIPPED =
  /^(?:data|releases|spares|node_modules|build-caches|user-caches|caches|npm-cache|tools|cdk\.out|.*\.git)$/;

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
