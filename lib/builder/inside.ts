import { AsyncLocalStorage } from 'node:async_hooks';
import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { placeOf } from '../files/opened.ts';

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

/** Whether a folder below a release, or a link there, is in it. */
export async function isInside(root: string, folder: string): Promise<boolean> {
  const [real, of] = await Promise.all([realpath(folder), realpath(root)]);
  return `${real}${sep}`.startsWith(of + sep);
}
