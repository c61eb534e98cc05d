import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openInPlace } from '../../files/opened.ts';
import type { ReleaseSpec } from '../calls.ts';

const NAME = '503.html';
const MOST_BYTES = 256 * 1024;

type Page = Buffer | undefined;

/**
 * Returns what reads an application's own page for browsers that come while nothing of it serves: `503.html` in its folder.
 * It is read once for each release.
 */
export function ownPage(releaseNow: () => ReleaseSpec | null): () => Page {
  let read: { readonly snapshot: string; readonly page: Page } | undefined;
  return () => {
    const release = releaseNow();
    if (release === null) return undefined;
    const { snapshot, folder } = release;
    if (read?.snapshot !== snapshot) read = { snapshot, page: pageIn(join(folder, NAME)) };
    return read.page;
  };
}

/** Returns a file that a build has left; undefined for a link, for what is no file, and for a larger one. */
function pageIn(place: string): Page {
  let descriptor: number | undefined;
  try {
    descriptor = openInPlace(place);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
