import type { AppRef, SnapshotRef } from '../ports/platform.ts';
import type { Entry } from './entry.ts';
import { appName as platformName } from './package-name.ts';

/** Returns the application of an entry, under the platform's name of it. Throws before `check`. */
export function appOf({ user, appName }: Pick<Entry, 'user' | 'appName'>): AppRef {
  if (!appName) throw new Error('The entry has not passed the stage "check".');
  return { user, app: platformName(appName) };
}

/** Returns the snapshot that an entry deploys, under the platform's name of the application. Throws before `check`. */
export function snapshotOf({ user, appName, snapshot }: Entry): SnapshotRef {
  if (!appName || !snapshot) throw new Error('The entry has not passed the stage "check".');
  return { user, app: platformName(appName), snapshot };
}

/**
 * Returns other ids for the snapshot of an entry, with its number. A log that has begun anew counts from one again, and
 * the platform still has the snapshots of the one before.
 */
export function otherIds(id: string): readonly string[] {
  return OTHERS.map((tries) => id.replace(/-(\d+)$/, `-${tries}-$1`));
}

/** The number of logs that can be lost before a deploy fails for it. */
const OTHERS = [2, 3, 4, 5, 6, 7, 8, 9];

/** Returns the number of the entry that a snapshot was made by, from its id; null when the id has none. */
export function deployOfSnapshot(id: string): number | null {
  const [, digits] = /-(\d{1,12})$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}
