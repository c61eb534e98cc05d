import type { Entry } from './entry.ts';
import type { SnapshotRef } from './ports/hosting-platform.ts';

/** The snapshot that an entry deploys; its name is known once the first stage is done. */
export function snapshotOf({ user, appName, snapshot }: Entry): SnapshotRef {
  if (!appName || !snapshot) throw new Error('The entry has not passed the stage "check".');
  return { user, app: appName, snapshot };
}
