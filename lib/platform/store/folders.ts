import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, MISSING, unless } from '../../files/errors.ts';
import { removeTree } from '../../files/tree.ts';
import type { AppId } from '../../runner/calls.ts';

interface SnapshotFiles {
  readonly tarball: string;
  readonly release: string;
  /** The home of its processes, beside which those that are isolated have their temporary files, and note that they have run. */
  readonly home: string;
  /** The output of its build. */
  readonly log: string;
}

/** The paths of an application's files. */
export interface AppFolder {
  readonly root: string;
  readonly log: string;
  /**
   * Returns the paths of one snapshot: tarball, unpacked release, home of its processes, log of its build.
   */
  readonly snapshot: (id: string) => SnapshotFiles;
  readonly snapshots: string;
  readonly spares: string;
  readonly buildCaches: string;
  /** The application's own folder, which persists across releases. */
  readonly data: string;
}

/** The paths under the platform's data folder. */
export interface Folders {
  readonly root: string;
  readonly apps: string;
  readonly ofApp: (name: AppId) => AppFolder;
  /** The running process groups, so that the next start can end those that are left. */
  readonly groups: string;
  /** Caches of package managers and build tools: what is written there is installed by later builds of the user only. */
  readonly cachesOf: (user: string) => string;
  readonly userCaches: string;
  /** Fetched programs: package managers and other versions of Node. */
  readonly tools: string;
}

export function folders(dataDir: string): Folders {
  const apps = join(dataDir, 'apps');
  const userCaches = join(dataDir, 'user-caches');
  return {
    root: dataDir,
    apps,
    ofApp: ({ user, app }) => appFolder(join(apps, user, app)),
    groups: join(dataDir, 'groups.json'),
    cachesOf: (user) => join(userCaches, user),
    userCaches,
    tools: join(dataDir, 'tools'),
  };
}

function appFolder(root: string): AppFolder {
  const snapshots = join(root, 'snapshots');
  return {
    root,
    log: join(root, 'app.log'),
    snapshots,
    snapshot: (id) => ({
      tarball: join(snapshots, `${id}.tgz`),
      release: join(root, 'releases', id),
      home: join(root, 'homes', id, 'home'),
      log: join(snapshots, `${id}.log`),
    }),
    spares: join(root, 'spares'),
    buildCaches: join(root, 'build-caches'),
    data: join(root, 'data'),
  };
}

/** Removes a folder, if it is there. It is moved first: a kill leaves it whole, or as what the next start removes. */
export async function removeAtOnce({ root }: Pick<Folders, 'root'>, folder: string): Promise<void> {
  const moved = join(root, `${randomUUID()}.tmp`);
  await rename(folder, moved).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  await removeTree(moved);
}

/** Returns the names in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await unless(MISSING, readdir(folder))) ?? [];
}
