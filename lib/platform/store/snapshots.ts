import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import * as v from 'valibot';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { deployOfSnapshot } from '../../../functions/core/entry/snapshot.ts';
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
  /** The id of its commit; absent: it was activated before this was noted. */
  commit: v.optional(v.string()),
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
  /** The last deploy that asked for its build, from `activate`. */
  deploy: v.optional(v.nullable(v.number()), null),
  /** The number of the entry that asked for it last; `null`: that which its id names. */
  entry: v.optional(v.nullable(v.number()), null),
  /** Whether it was started; absent: it was uploaded before this was noted. */
  was_live: v.optional(v.boolean()),
  /** A sentence about a build that was interrupted and began again. */
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

/**
 * Returns the snapshots that can be removed. Kept are the active one, what an unfinished entry is about to start, the latest
 * that were live before, and all that were live and are newer, as after a rollback. Of what was never live the latest tarballs
 * are kept, with the outputs of their builds, and no release. `list` is latest first.
 */
export function prunable(
  list: readonly Snapshot[],
  active: string | null,
  { kept, isAwaited }: { kept: Kept; isAwaited: (snapshot: Snapshot) => boolean },
): Prunable {
  const position = list.findIndex(({ id }) => id === active);
  if (active !== null && position < 0) return { snapshots: [], releases: [] };
  const idle = list.filter((one) => one.id !== active && one.state !== 'building' && !isAwaited(one));
  const older = idle.filter((one) => wasLive(one) && list.indexOf(one) > position);
  const unused = idle.filter((one) => !wasLive(one));
  const snapshots = [...older.slice(Math.max(0, kept.snapshots - 1)), ...unused.slice(kept.snapshots)];
  const releases = [...older.filter(isBuilt).slice(Math.max(0, kept.releases - 1)), ...unused.filter(isBuilt)];
  return { snapshots, releases: releases.filter((one) => !snapshots.includes(one)) };
}

function isBuilt({ state }: Snapshot): boolean {
  return state === 'ready';
}

function wasLive({ was_live, built_at, state }: Snapshot): boolean {
  return was_live ?? (built_at !== null || state === 'ready');
}

/** Makes the snapshots `pending` whose releases are gone, as after a restore. Returns those without files. */
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
  readonly tables: Tables;
}

/** Removes the releases and the snapshots that are older than those to keep, but none from which something runs. */
export async function prune(parts: PruneParts, app: AppId): Promise<void> {
  const { snapshots: all, limits: kept, folders } = parts;
  const list = await all.list(app);
  const used = (await Promise.all((await groupsFiles(folders.root)).map(foldersInUse))).flat();
  // Read last: what was awaited in the list may be active by now, and another than the one whose start has led here.
  const active = (await parts.apps.find(app))?.active ?? null;
  const isAwaited = (snapshot: Snapshot) => {
    const number = snapshot.entry ?? deployOfSnapshot(snapshot.id);
    return number === null ? !wasLive(snapshot) : parts.tables.isUnfinished({ user: app.user, number });
  };
  const old = prunable(list, active, { kept, isAwaited });
  const isUnused = ({ id }: Snapshot) => {
    const { release } = folders.ofApp(app).snapshot(id);
    return !used.some((folder) => `${folder}${sep}`.startsWith(`${release}${sep}`));
  };
  for (const { id } of old.snapshots.filter(isUnused)) await all.remove(app, id);
  for (const snapshot of old.releases.filter(isUnused)) await all.removeRelease(app, snapshot);
}
