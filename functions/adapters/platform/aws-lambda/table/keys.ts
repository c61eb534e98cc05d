import type { AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import type { Key } from './table.ts';

/** The keys of the items in the platform's table. */
export const keys = {
  apps: (user: string): string => `A#${user}`,
  app: ({ user, app }: AppRef): Key => ({ pk: keys.apps(user), sk: app }),
  /** All applications that have crashed once. */
  events: 'E',
  event: (app: AppRef): Key => ({ pk: keys.events, sk: pathOf(app) }),
  /** The application that a function runs. */
  function: (name: string): Key => ({ pk: `F#${name}`, sk: 'APP' }),
  snapshots: (app: AppRef): string => `S#${pathOf(app)}`,
  snapshot: (ref: SnapshotRef): Key => ({ pk: keys.snapshots(ref), sk: ref.snapshot }),
};

/** Returns an application as one string, which no other has. */
export function pathOf({ user, app }: AppRef): string {
  return `${encodeURIComponent(user)}/${encodeURIComponent(app)}`;
}
