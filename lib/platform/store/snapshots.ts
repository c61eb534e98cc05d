import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import * as v from 'valibot';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { isObject } from '../../../functions/core/json.ts';
import { removeTree } from '../../files/tree.ts';
import { HttpError } from '../../http/http-error.ts';
import { foldersInUse } from '../../process/group-registry.ts';
import type { AppId } from '../../runner/calls.ts';
import { groupsFiles } from '../../runner/program/groups-files.ts';
import type { Apps } from './apps.ts';
import type { Folders } from './folders.ts';

/** One uploaded version of an application, and the state of its build. */
export const Snapshot = v.object({
  id: v.string(),
  /** The tarball's digest (lower-case hex) and bytes. */
  sha256: v.string(),
  size: v.number(),
  uploaded_at: v.string(),
  state: v.picklist(['pending', 'building', 'ready', 'failed']),
  /** One sentence for `failed`. */
  reason: v.nullable(v.string()),
  /** The last lines that the build printed. */
  log: v.array(v.string()),
  /** Source of the dependencies: `none`, `installed`, or `copied` from an earlier installation. */
  dependencies: v.nullable(v.string()),
  /** The folder of the application in the repository; empty for its root. */
  path: v.optional(v.string(), ''),
  /** The settings that it is built and started with. */
  settings: v.optional(v.custom<Settings>(isObject), {}),
  /** Whether its build uses nothing of earlier ones. */
  clean: v.optional(v.boolean(), false),
  /** The version of Node that it was built with and runs on; `null` until it is built. */
  node: v.optional(v.nullable(v.string()), null),
  /** Fetched programs that it runs with, such as `pnpm@10.1.0`. */
  tools: v.optional(v.array(v.string()), []),
  /** The commands and the folder that its last successful build has used. */
  found: v.optional(v.custom<Settings>(isObject)),
  /** Notices about a successful build, one sentence each. */
  warnings: v.optional(v.array(v.string()), []),
  /** When its last successful build had ended; `null` until then. */
  built_at: v.optional(v.nullable(v.string()), null),
  /** The deploy that has had it built last, as `activate` was told. */
  deploy: v.optional(v.nullable(v.number()), null),
  /** When a deploy or a rollback asked for it that has not started it yet. */
  awaited_at: v.optional(v.nullable(v.string()), null),
  /** One sentence about a build that was cut off and began again. */
  note: v.optional(v.nullable(v.string()), null),
  /** Whether the release command has been begun. */
  released: v.optional(v.boolean(), false),
});

export type Snapshot = v.InferOutput<typeof Snapshot>;

/** The snapshots of applications: their states and files. */
export interface Snapshots {
  find(app: AppId, id: string): Promise<Snapshot | undefined>;
  /** Returns the snapshot, or throws 404. */
  get(app: AppId, id: string): Promise<Snapshot>;
  write(app: AppId, snapshot: Snapshot): Promise<void>;
  /** Returns the application's snapshots, latest upload first. */
  list(app: AppId): Promise<readonly Snapshot[]>;
  /** Removes the state, the tarball and the unpacked release. */
  remove(app: AppId, id: string): Promise<void>;
  /** Removes what a failed build has left of its release. */
  dropRelease(app: AppId, id: string): Promise<void>;
  /** Removes the unpacked release and keeps the tarball: the snapshot is `pending`, and can be activated again. */
  removeRelease(app: AppId, snapshot: Snapshot): Promise<void>;
}

export function snapshots({ tables, folders }: { readonly tables: Tables; readonly folders: Folders }): Snapshots {
  const find = async ({ user, app }: AppId, id: string) => {
    const sql = 'SELECT doc FROM snapshots WHERE user = ? AND app = ? AND id = ?';
    const row = tables.get<Row>(sql, user, app, id);
    return row && snapshotIn(row);
  };
  const write = ({ user, app }: AppId, snapshot: Snapshot) =>
    tables.note(() => {
      const sql = `INSERT INTO snapshots (user, app, id, doc) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET doc = excluded.doc`;
      tables.run(sql, user, app, snapshot.id, JSON.stringify(snapshot));
    });
  const dropRelease = async (app: AppId, id: string) => {
    const { release, home } = folders.ofApp(app).snapshot(id);
    for (const folder of [release, dirname(home)]) await removeTree(folder);
  };
  return {
    find,
    get: async (app, id) => {
      const snapshot = await find(app, id);
      if (snapshot) return snapshot;
      throw new HttpError(404, `There is no snapshot ${id} of ${app.app}; it was not uploaded, or it has been pruned.`);
    },
    write,
    list: async ({ user, app }) => {
      const rows = tables.all<Row>('SELECT doc FROM snapshots WHERE user = ? AND app = ?', user, app);
      return rows.map(snapshotIn).sort((a, b) => (a.uploaded_at < b.uploaded_at ? 1 : -1));
    },
    remove: async (app, id) => {
      const { tarball, log } = folders.ofApp(app).snapshot(id);
      // The row is removed first: otherwise a partly removed release would look complete after a crash.
      const sql = 'DELETE FROM snapshots WHERE user = ? AND app = ? AND id = ?';
      await tables.note(() => void tables.run(sql, app.user, app.app, id));
      for (const file of [tarball, log]) await rm(file, { force: true });
      await dropRelease(app, id);
    },
    dropRelease,
    removeRelease: async (app, snapshot) => {
      await write(app, { ...snapshot, state: 'pending', built_at: snapshot.built_at ?? snapshot.uploaded_at });
      await dropRelease(app, snapshot.id);
    },
  };
}

interface Row {
  readonly doc: string;
}

function snapshotIn({ doc }: Row): Snapshot {
  return JSON.parse(doc);
}

/** The number of snapshots and releases of an application that are kept. */
interface Kept {
  readonly snapshots: number;
  readonly releases: number;
}

/** The removable snapshots: some with all their files, others with their release only. */
interface Prunable {
  readonly snapshots: readonly Snapshot[];
  readonly releases: readonly Snapshot[];
}

/** A deploy of which nothing was heard for so long is no longer on its way. */
const ON_ITS_WAY_MS = 24 * 60 * 60_000;

/**
 * Returns the snapshots that can be removed once `active` serves. Kept are the latest that were built, the active one
 * included, and what was uploaded after it; what has not been built yet, for its deploy may be on its way still; and what
 * a deploy or a rollback is about to start.
 * `list` is latest first.
 */
export function prunable(
  list: readonly Snapshot[],
  active: string,
  { kept, now }: { kept: Kept; now: number },
): Prunable {
  const position = list.findIndex(({ id }) => id === active);
  if (position < 0) return { snapshots: [], releases: [] };
  const older = list.slice(position + 1);
  const built = older.filter(({ built_at, state }) => built_at !== null || state === 'ready');
  const isRecent = (at: string | null) => at !== null && now - Date.parse(at) < ON_ITS_WAY_MS;
  const isAwaited = ({ awaited_at }: Snapshot) => isRecent(awaited_at);
  const snapshots = [
    ...built.slice(Math.max(0, kept.snapshots - 1)),
    ...older.filter((one) => !built.includes(one) && one.state !== 'building' && !isRecent(one.uploaded_at)),
  ].filter((one) => !isAwaited(one));
  const releases = built
    .filter(({ state }) => state === 'ready')
    .slice(Math.max(0, kept.releases - 1))
    .filter((one) => !snapshots.includes(one) && !isAwaited(one));
  return { snapshots, releases };
}

/** Has the snapshots built again whose releases are gone, as after a restore: each is `pending`. Returns those without files. */
export async function forgetGone(all: Snapshots, folders: Folders, app: AppId): Promise<readonly Snapshot[]> {
  const lost: Snapshot[] = [];
  for (const snapshot of await all.list(app)) {
    const { release, tarball } = folders.ofApp(app).snapshot(snapshot.id);
    if (existsSync(release)) continue;
    if (snapshot.state === 'ready') await all.removeRelease(app, snapshot);
    if (!existsSync(tarball)) lost.push(snapshot);
  }
  return lost;
}

interface PruneParts {
  readonly snapshots: Snapshots;
  readonly apps: Pick<Apps, 'find'>;
  readonly limits: Kept;
  readonly folders: Folders;
}

/** Removes the releases and the snapshots that are older than those to keep, but none from which something runs. */
export async function prune({ snapshots: all, apps, limits: kept, folders }: PruneParts, app: AppId): Promise<void> {
  const list = await all.list(app);
  // Read last: what was awaited in the list may be active by now, and another than the one whose start has led here.
  const active = (await apps.find(app))?.active;
  if (!active) return;
  const old = prunable(list, active, { kept, now: Date.now() });
  const used = (await Promise.all((await groupsFiles(folders.root)).map(foldersInUse))).flat();
  const isUnused = ({ id }: Snapshot) => {
    const { release } = folders.ofApp(app).snapshot(id);
    return !used.some((folder) => `${folder}${sep}`.startsWith(`${release}${sep}`));
  };
  for (const { id } of old.snapshots.filter(isUnused)) await all.remove(app, id);
  for (const snapshot of old.releases.filter(isUnused)) await all.removeRelease(app, snapshot);
}
