import { readdir, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { hasCode } from '../../processes/error-code.ts';
import { readState, writeState } from '../../processes/state-file.ts';
import { HttpError } from '../http-error.ts';
import type { Folders } from './folders.ts';
import type { AppName } from './names.ts';

const SnapshotSchema = v.object({
  id: v.string(),
  /** Of the tarball: lower-case hex, and bytes. */
  sha256: v.string(),
  size: v.number(),
  uploaded_at: v.string(),
  state: v.picklist(['pending', 'building', 'ready', 'failed']),
  /** One sentence for `failed`. */
  reason: v.nullable(v.string()),
  /** The last lines that the build printed. */
  log: v.array(v.string()),
  /** Source of the dependencies: `none`, `installed`, `copied` from an earlier release, or a `spare` copy. */
  dependencies: v.nullable(v.string()),
  /** The folder of the application in the repository; empty for its root. */
  path: v.optional(v.string(), ''),
  /** The version of Node that it was built with and runs on; `null` until it is built. */
  node: v.optional(v.nullable(v.string()), null),
  /** Fetched programs that it runs with, such as `pnpm@10.1.0`. */
  tools: v.optional(v.array(v.string()), []),
  /** What the author should know of a build that succeeded, one sentence each. */
  warnings: v.optional(v.array(v.string()), []),
  /** When it was built first; `null` until then. */
  built_at: v.optional(v.nullable(v.string()), null),
});

/** One uploaded version of an application, and the state of its build. */
export type Snapshot = v.InferOutput<typeof SnapshotSchema>;

/** The snapshots of applications: their states and files. */
export interface Snapshots {
  find(app: AppName, id: string): Promise<Snapshot | undefined>;
  /** Returns the snapshot, or throws 404. */
  get(app: AppName, id: string): Promise<Snapshot>;
  write(app: AppName, snapshot: Snapshot): Promise<void>;
  /** Returns the application's snapshots, latest upload first. */
  list(app: AppName): Promise<readonly Snapshot[]>;
  /** Removes the state, the tarball and the unpacked release. */
  remove(app: AppName, id: string): Promise<void>;
}

/** Returns the snapshots, which are files in their application's folder. */
export function snapshots(folders: Folders): Snapshots {
  const find = (app: AppName, id: string) => readState(folders.ofApp(app).snapshot(id).state, SnapshotSchema);
  return {
    find,
    get: async (app, id) => {
      const snapshot = await find(app, id);
      if (snapshot) return snapshot;
      throw new HttpError(404, `There is no snapshot ${id} of ${app.app}; it was not uploaded, or it has been pruned.`);
    },
    write: (app, snapshot) => writeState(folders.ofApp(app).snapshot(snapshot.id).state, snapshot),
    list: async (app) => {
      const names = await readdir(folders.ofApp(app).snapshots).catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return [];
        throw error;
      });
      const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));
      const found = await Promise.all(ids.map((id) => find(app, id)));
      const list = found.flatMap((snapshot) => (snapshot ? [snapshot] : []));
      return list.sort((a, b) => (a.uploaded_at < b.uploaded_at ? 1 : -1));
    },
    remove: async (app, id) => {
      const { state, tarball, release, stamp } = folders.ofApp(app).snapshot(id);
      // The state is removed first: otherwise a partly removed release would look complete after a crash.
      await rm(state, { force: true });
      await rm(tarball, { force: true });
      await rm(stamp, { force: true });
      await rm(release, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * Returns the snapshots that can be removed once `active` serves: all but the `keep` latest that were built (the active one
 * included), those being built, and those uploaded after the active one. `list` is latest first.
 */
export function prunable(list: readonly Snapshot[], active: string, keep: number): readonly Snapshot[] {
  const position = list.findIndex(({ id }) => id === active);
  const older = list.slice(position + 1);
  const kept = new Set(older.filter(({ state }) => state === 'ready').slice(0, Math.max(0, keep - 1)));
  return position < 0 ? [] : older.filter((snapshot) => snapshot.state !== 'building' && !kept.has(snapshot));
}
