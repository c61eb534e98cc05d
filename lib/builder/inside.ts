import { AsyncLocalStorage } from 'node:async_hooks';
import { constants, type Dirent } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { entriesOf, placeOf } from '../files/opened.ts';

const release = new AsyncLocalStorage<string>();

/**
 * Does work that reads a release, or builds one. In it `textOf` follows no link that leads out of the release: what has run there
 * may have made one to anything that the service can read.
 */
export function insideRelease<T>(root: string, work: () => Promise<T>): Promise<T> {
  return release.run(root, work);
}

/** Whether an open file of the release that is read lies outside of it. */
export async function leadsOut(path: string, descriptor: number): Promise<boolean> {
  const root = release.getStore();
  if (root === undefined || !path.startsWith(root + sep)) return false;
  const place = placeOf(descriptor)?.toString() ?? (await realpath(path));
  return !place.startsWith((await realpath(root)) + sep);
}

/** A folder of sources has less. */
const MOST_ENTRIES = 20_000;

/**
 * Returns what is in a folder of the release that is read, by name, at most so many entries. Nothing of one that is not there, or to
 * which a link out of the release leads.
 */
export async function entriesInside(folder: string, most = MOST_ENTRIES): Promise<readonly Dirent[]> {
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
  try {
    if (opened === undefined || (await leadsOut(folder, opened.fd))) return [];
    const entries = await entriesOf(opened.fd, folder, most);
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } finally {
    await opened?.close();
  }
}

/** Whether a folder below a release, or a link there, is in it. */
export async function isInside(root: string, folder: string): Promise<boolean> {
  const [real, of] = await Promise.all([realpath(folder), realpath(root)]);
  return `${real}${sep}`.startsWith(of + sep);
}
