import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { appName } from '../../../functions/core/entry/package-name.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import { unless } from '../../files/errors.ts';
import { keyedBy } from '../../files/state-file.ts';
import { HttpError, messageOf } from '../../http/http-error.ts';
import type { AppId } from '../../runner/calls.ts';
import type { Log } from '../settings.ts';
import { type Folders, removeAtOnce } from './folders.ts';

/** What is stored of an application besides its domains and variables. */
export const AppRecord = v.object({
  /** The name in the manifest, with its scope. */
  name: v.string(),
  manifest: keyedBy(v.string(), v.unknown()),
  /** The loopback port of the application, which never changes. */
  port: v.nullable(v.number()),
  /** The id of the snapshot that serves, or served last. */
  active: v.nullable(v.string()),
  /** The id of the snapshot whose start was begun and has not ended: it may serve already. */
  next: v.optional(v.nullable(v.string()), null),
  /** Whether it is to run, also after a restart of the platform. */
  wanted: v.picklist(['running', 'stopped']),
  /** How many processes are to run, by type; 1 of each type that is not named. `web` may be `auto`. */
  scale: v.optional(keyedBy(v.string(), v.union([v.number(), v.literal('auto')])), {}),
  /** What visitors are asked for; null: nothing. */
  password: v.optional(v.nullable(v.object({ salt: v.string(), hash: v.string() })), null),
  /** The application that it previews. */
  previewOf: v.optional(v.nullable(v.string()), null),
});

export type AppRecord = v.InferOutput<typeof AppRecord>;

export interface StoredApp extends AppRecord {
  /** Its domains besides the names that the platform gives it, oldest first. */
  readonly domains: readonly StoredDomain[];
}

export interface StoredDomain {
  readonly name: string;
  /** The domain to which it redirects; null: it is served. */
  readonly redirect: string | null;
}

/** A package manifest, stored as it was sent; its fields are not validated. */
type Manifest = Readonly<Record<string, unknown>>;

type How = Pick<AppRecord, 'scale' | 'previewOf'>;

/** The applications: a row and a folder each. */
export interface Apps {
  find(name: AppId): Promise<StoredApp | undefined>;
  /** Returns the application, or throws 404. */
  get(name: AppId): Promise<StoredApp>;
  /** Changes some fields, which may depend on the state before. Returns the new state. */
  change(name: AppId, fields: Partial<AppRecord> | ((before: StoredApp) => Partial<AppRecord>)): Promise<StoredApp>;
  /**
   * Creates the application, with the given scale, or updates its manifest; a preview has the password of what it previews.
   * 409 when another name already has the same path.
   */
  put(name: AppId, manifest: Manifest, how?: Partial<How>): Promise<void>;
  /** Changes the password of the application and of its previews; returns these all. */
  lock(name: AppId, password: AppRecord['password']): Promise<readonly AppId[]>;
  /**
   * Gives the application the name of another package, and moves its folder to that name's; 409 when there is one. A kill
   * in the middle leaves the move to `finishRenames`.
   */
  rename(name: AppId, full: string): Promise<void>;
  /**
   * Moves the folders of applications that have a new name; one whose folder cannot be moved gets its old name back. Before
   * anything runs.
   */
  finishRenames(log: Log): Promise<void>;
  /** Removes the application and all its files. */
  remove(name: AppId): Promise<void>;
  /** Returns the user's applications by name, or those of all users. */
  list(user?: string): Promise<readonly AppId[]>;
}

interface AppsParts {
  readonly tables: Tables;
  readonly folders: Folders;
  /** Room for a removal on a full disk. */
  readonly reserve: Pick<DiskReserve, 'use'>;
}

const OF_APP = 'WHERE user = ? AND app = ?';

export function apps({ tables, folders, reserve }: AppsParts): Apps {
  const get = (name: AppId) => {
    const app = stored(tables, name);
    if (app) return app;
    throw new HttpError(404, `${name.user} has no application ${name.app}.`);
  };
  const put = (name: AppId, manifest: Manifest, { scale, previewOf }: How) => {
    const before = stored(tables, name);
    const full = nameOf(name, manifest, before);
    const fresh = {
      port: null,
      active: null,
      next: null,
      wanted: 'stopped' as const,
      scale,
      domains: [],
      password: null,
    };
    const { password } = (previewOf && stored(tables, { ...name, app: previewOf })) || (before ?? fresh);
    write(tables, name, { ...(before ?? fresh), name: full, manifest, password, previewOf });
  };
  return {
    find: async (name) => stored(tables, name),
    get: async (name) => get(name),
    change: (name, fields) =>
      tables.write(() => {
        const before = get(name);
        const changed = typeof fields === 'function' ? fields(before) : fields;
        const app = { ...before, ...changed };
        write(tables, name, app);
        return app;
      }),
    put: async (name, manifest, { scale = {}, previewOf: given } = {}) => {
      const app = stored(tables, name);
      const previewOf = given ?? app?.previewOf ?? null;
      // Each deploy says it again, and nothing has to be written and synced then.
      const isSame = app?.previewOf === previewOf && isDeepStrictEqual(app.manifest, manifest);
      const isKnown = isSame && app.name === nameOf(name, manifest, app);
      if (!isKnown) await tables.write(() => put(name, manifest, { scale, previewOf }));
    },
    lock: (name, password) =>
      tables.write(() => {
        get(name);
        const sql = `UPDATE applications SET doc = json_set(doc, '$.password', json(?))
           WHERE user = ? AND (app = ? OR json_extract(doc, '$.previewOf') = ?) RETURNING user, app`;
        return tables.all<AppId>(sql, JSON.stringify(password), name.user, name.app, name.app);
      }),
    rename: async (name, full) => {
      const to = { user: name.user, app: appName(full) };
      const before = get(name);
      const manifest = { ...before.manifest, name: full };
      const renamed = { ...before, name: full, manifest, next: null };
      const isMoved = to.app !== name.app;
      const isTaken = () => existsSync(folders.ofApp(to).root) || stored(tables, to) !== undefined;
      await tables.write(() => {
        if (isMoved && isTaken()) throw new HttpError(409, `${to.user} has an application ${to.app}.`);
        write(tables, name, renamed);
        if (isMoved) moveRow(tables, name, { app: to.app, folder: before.name });
      });
      if (isMoved) await moveFolder({ tables, folders }, { ...to, folder: before.name });
    },
    finishRenames: async (log) => {
      const moved = tables.all<Moved>('SELECT user, app, folder FROM applications WHERE folder IS NOT NULL');
      for (const { user, app, folder } of moved) {
        await moveFolder({ tables, folders }, { user, app, folder }).catch((error: unknown) => {
          const detail = `The folder of ${user}/${appName(folder)} could not be moved to ${app}; it has its old name again: ${messageOf(error)}`;
          log({ type: 'platform.damaged', user, app: appName(folder), detail });
        });
      }
    },
    remove: async (name) => {
      // First, because it may be what has filled the disk; and a kill then leaves a row, which can be removed again.
      await removeAtOnce(folders, folders.ofApp(name).root);
      await reserve.use(() =>
        tables.write(() => void tables.run(`DELETE FROM applications ${OF_APP}`, name.user, name.app)),
      );
    },
    list: async (user) => {
      const rows =
        user === undefined
          ? tables.all<AppId>('SELECT user, app FROM applications ORDER BY user, app')
          : tables.all<AppId>('SELECT user, app FROM applications WHERE user = ? ORDER BY app', user);
      return rows.map(({ user, app }) => ({ user, app }));
    },
  };
}

function stored(tables: Tables, { user, app }: AppId): StoredApp | undefined {
  const row = tables.get<{ doc: string }>(`SELECT doc FROM applications ${OF_APP}`, user, app);
  if (!row) return undefined;
  const domains = tables.all<StoredDomain>(`SELECT name, redirect FROM domains ${OF_APP} ORDER BY id`, user, app);
  // Records of versions before do not have these.
  const { next = null, password = null, previewOf = null, ...record } = JSON.parse(row.doc) as AppRecord;
  return { ...record, next, password, previewOf, domains };
}

function write(tables: Tables, { user, app }: AppId, { domains: _, ...record }: StoredApp): void {
  tables.run(
    'INSERT INTO applications (user, app, doc) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET doc = excluded.doc',
    ...[user, app, JSON.stringify(record)],
  );
}

function moveRow(tables: Tables, { user, app }: AppId, to: { app: string; folder: string | null }): void {
  tables.run(`UPDATE applications SET app = ?, folder = ? ${OF_APP}`, to.app, to.folder, user, app);
}

/** An application, and its name before, whose folder has its files. */
interface Moved extends AppId {
  readonly folder: string;
}

/** Moves the files to the folder of the new name. Where that fails, the application has its old name again. */
async function moveFolder({ tables, folders }: Pick<AppsParts, 'tables' | 'folders'>, { user, app, folder }: Moved) {
  const [from, to] = [folders.ofApp({ user, app: appName(folder) }), folders.ofApp({ user, app })];
  try {
    await unless(['ENOENT'], rename(from.root, to.root));
  } catch (error) {
    await tables.write(() => moveBack(tables, { user, app, folder }));
    throw error;
  }
  await tables.note(() => moveRow(tables, { user, app }, { app, folder: null }));
}

function moveBack(tables: Tables, { user, app, folder: name }: Moved): void {
  const renamed = stored(tables, { user, app });
  if (!renamed) return;
  moveRow(tables, { user, app }, { app: appName(name), folder: null });
  write(tables, { user, app: appName(name) }, { ...renamed, name, manifest: { ...renamed.manifest, name } });
}

/** Returns the full name of a manifest. Throws 409 when the application has another one. */
function nameOf({ app }: AppId, manifest: Manifest, before: StoredApp | undefined): string {
  const full = String(manifest.name ?? app);
  if (before === undefined || before.name === full) return full;
  throw new HttpError(409, `${full} and ${before.name} would have the same address here; rename one of them.`);
}
