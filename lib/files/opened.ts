import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { opendir } from 'node:fs/promises';

/** How a file is opened that another process may replace: a link is not followed, and the open of a pipe does not wait for who writes into it. */
export const UNFOLLOWED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A million at once would hold up everybody else. */
const ENTRIES_AT_A_TIME = 256;

/** What this process has opened, each a link to its place: on Linux. */
const OPENED = existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined;

/**
 * Opens a file or a folder which another process may replace by a link, as well as the folders in which it lies: what has been
 * opened is compared, not what was there a moment before. Throws the error of a path that is not there when it lies elsewhere.
 */
export function openInPlace(place: string | Buffer): number {
  const descriptor = openSync(place, UNFOLLOWED);
  const actual = placeOf(descriptor);
  if (actual === undefined || actual.equals(Buffer.from(place))) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error(`${place} has been replaced`), { code: 'ENOENT' });
}

/**
 * Returns what is in a folder that lies there itself, at most so many entries; nothing of one that cannot be read, or has been
 * replaced.
 */
export async function entriesIn(place: string, most: number): Promise<readonly Dirent[]> {
  let descriptor: number | undefined;
  try {
    descriptor = openInPlace(place);
    return await entriesOf(descriptor, place, most);
  } catch {
    return [];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns what is in a folder that has been opened, at most so many entries. Other requests go on meanwhile. */
export async function entriesOf(descriptor: number, place: string, most: number): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(pathOf(descriptor, place), { bufferSize: ENTRIES_AT_A_TIME })) {
    if (entries.length === most) break;
    entries.push(entry);
  }
  return entries;
}

/** Whether nothing is in a folder; false for a link to one, and where there is none. */
export function isEmptyFolder(place: string): boolean {
  if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return false;
  const opened = opendirSync(place);
  try {
    return opened.readSync() === null;
  } finally {
    opened.closeSync();
  }
}

/** Returns where what was opened lies, without links; undefined where the system does not tell. */
export function placeOf(descriptor: number): Buffer | undefined {
  return OPENED === undefined ? undefined : readlinkSync(`${OPENED}/${descriptor}`, 'buffer');
}

/** Returns a path to what was opened at a place, whatever is there by now; where the system has none, the place. */
export function pathOf<P extends string | Buffer>(descriptor: number, place: P): string | P {
  return OPENED === undefined ? place : `${OPENED}/${descriptor}`;
}

/** Returns the places of all that this process has opened; undefined where the system does not tell. */
export function openedPlaces(): readonly string[] | undefined {
  if (OPENED === undefined) return undefined;
  return readdirSync(OPENED).flatMap((name) => {
    try {
      return [readlinkSync(`${OPENED}/${name}`)];
    } catch {
      // This one was that of the folder that is read.
      return [];
    }
  });
}
