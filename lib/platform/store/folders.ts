import { join } from 'node:path';
import type { AppName } from './names.ts';

/** The files of one snapshot. */
interface SnapshotFiles {
  readonly state: string;
  readonly tarball: string;
  readonly release: string;
  readonly stamp: string;
}

/** Where the platform keeps an application's things. */
export interface AppFolder {
  readonly root: string;
  readonly record: string;
  readonly variables: string;
  readonly log: string;
  /** The state of one snapshot, its tarball, the folder that it is unpacked in, and what is known of its node_modules. */
  readonly snapshot: (id: string) => SnapshotFiles;
  readonly snapshots: string;
  readonly spares: string;
}

/** The folder of all applications, of one user's, and of one. */
export interface Folders {
  readonly users: string;
  readonly apps: string;
  readonly ofUser: (user: string) => string;
  readonly ofApp: (name: AppName) => AppFolder;
  /** Process groups that run, for the next start to end what outlived this one. */
  readonly groups: string;
  readonly npmCache: string;
}

/** The layout under the platform's data folder. */
export function folders(dataDir: string): Folders {
  const apps = join(dataDir, 'apps');
  return {
    users: join(dataDir, 'users'),
    apps,
    ofUser: (user) => join(apps, user),
    ofApp: ({ user, app }) => appFolder(join(apps, user, app)),
    groups: join(dataDir, 'groups.json'),
    npmCache: join(dataDir, 'npm-cache'),
  };
}

function appFolder(root: string): AppFolder {
  const snapshots = join(root, 'snapshots');
  return {
    root,
    record: join(root, 'app.json'),
    variables: join(root, 'variables.json'),
    log: join(root, 'app.log'),
    snapshots,
    snapshot: (id) => ({
      state: join(snapshots, `${id}.json`),
      tarball: join(snapshots, `${id}.tgz`),
      release: join(root, 'releases', id),
      // Beside the release and not in it, where the application does not see it.
      stamp: join(root, 'stamps', `${id}.json`),
    }),
    spares: join(root, 'spares'),
  };
}
