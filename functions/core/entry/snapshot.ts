import type { SnapshotRef } from '../ports/hosting-platform.ts';
import type { Entry } from './entry.ts';
import { appName as platformName } from './manifest.ts';

/** The snapshot that an entry deploys, by the name that its application has on the platform; that is known once the first stage is done. */
export function snapshotOf({ user, appName, snapshot }: Entry): SnapshotRef {
  if (!appName || !snapshot) throw new Error('The entry has not passed the stage "check".');
  return { user, app: platformName(appName), snapshot };
}
