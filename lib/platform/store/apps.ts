import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { hasCode } from '../../files/errors.ts';
import { keyedBy, readState, writeState } from '../../files/state-file.ts';
import { HttpError } from '../../http/http-error.ts';
import { type Folders, removeAtOnce } from './folders.ts';
import { type AppName, appKey, appSegment, checkedPackage } from './names.ts';

const StoredAppSchema = v.object({
  /** The name in the manifest, with its scope. */
  name: v.string(),
  manifest: keyedBy(v.string(), v.unknown()),
  /** The loopback port of the application, which never changes. */
  port: v.nullable(v.number()),
  /** The id of the snapshot that serves, or served last. */
  active: v.nullable(v.string()),
  /** Whether it is to run, also after a restart of the platform. */
  wanted: v.picklist(['running', 'stopped']),
  /** How many processes are to run, by type; 1 of each type that is not named. `web` may be `auto`. */
  scale: v.optional(keyedBy(v.string(), v.union([v.number(), v.literal('auto')])), {}),
  /** Its domains besides the names that the platform gives it, oldest first. */
  domains: v.optional(v.array(v.string()), []),
  created_at: v.string(),
  updated_at: v.string(),
});

export type StoredApp = v.InferOutput<typeof StoredAppSchema>;

/** A package manifest, stored as it was sent; its fields are not validated. */
type Manifest = Readonly<Record<string, unknown>>;

/** The applications, each in a folder. */
export interface Apps {
  find(name: AppName): Promise<StoredApp | undefined>;
  /** Returns the application, or throws 404. */
  get(name: AppName): Promise<StoredApp>;
  /**
   * Changes some fields, which may depend on the state before; changes of one application wait for each other. Returns
   * the new state.
   */
  change(name: AppName, fields: Partial<StoredApp> | ((before: StoredApp) => Partial<StoredApp>)): Promise<StoredApp>;
  /**
   * Creates the application, with the given scale, or updates its manifest. 409 when another name already has the same
   * path.
   */
  put(
    name: AppName,
    manifest: Manifest,
    scale?: StoredApp['scale'],
  ): Promise<{ readonly app: StoredApp; readonly created: boolean }>;
  /**
   * Gives the application the name of another package, and moves its folder to that name's; 409 when there is one. A kill
   * in the middle leaves the move to `finishRenames`.
   */
  rename(name: AppName, full: string): Promise<void>;
  /** Moves the folders of applications whose records have a new name. Before anything runs. */
  finishRenames(): Promise<void>;
  /** Removes the application and all its files. */
  remove(name: AppName): Promise<void>;
  /** Returns the user's applications by name, or those of all users. */
  list(user?: string): Promise<readonly AppName[]>;
}

/** The key of a lock that no application has. */
const RENAMES = '';

export function apps(folders: Folders): Apps {
  const withLock = keyedMutex();
  const find = async (name: AppName) => {
    const app = await readState(folders.ofApp(name).record, StoredAppSchema);
    return app && (name.full === undefined || app.name === name.full) ? app : undefined;
  };
  const get = async (name: AppName) => {
    const app = await find(name);
    if (app) return app;
    throw new HttpError(404, `${name.user} has no application ${name.full ?? name.app}.`);
  };
  const write = (name: AppName, app: StoredApp) => writeState(folders.ofApp(name).record, app, { durable: true });
  const put = async (name: AppName, manifest: Manifest, scale: StoredApp['scale'] = {}) => {
    const now = new Date().toISOString();
    const full = nameOf(name, manifest);
    const known = await readState(folders.ofApp(name).record, StoredAppSchema);
    if (known && known.name !== full) {
      throw new HttpError(409, `${full} and ${known.name} would have the same address here; rename one of them.`);
    }
    // Each deploy says it again, and nothing has to be written and synced then.
    if (known && isDeepStrictEqual(known.manifest, manifest)) return { app: known, created: false };
    const fresh = { port: null, active: null, wanted: 'stopped' as const, scale, domains: [], created_at: now };
    const app = { ...(known ?? fresh), name: full, manifest, updated_at: now };
    await write(name, app);
    return { app, created: !known };
  };
  const list = async (user?: string) => {
    const owners = user === undefined ? await subfolders(folders.apps) : [user];
    const lists = await Promise.all(owners.map((owner) => ofUser(folders, owner)));
    return lists.flat();
  };
  const renamed = async (name: AppName, full: string) => {
    const before = await get(name);
    const to = { user: name.user, app: appSegment(full) };
    const { root } = folders.ofApp(to);
    if (to.app !== name.app && existsSync(root)) throw new HttpError(409, `${to.user} has an application ${to.app}.`);
    const manifest = { ...before.manifest, name: full };
    await write(name, { ...before, name: full, manifest, updated_at: new Date().toISOString() });
    await rename(folders.ofApp(name).root, root);
  };
  return {
    find,
    get,
    rename: (name, full) =>
      // One at a time, so that no two wait for the name of the other.
      withLock(RENAMES, () =>
        withLock(appKey(name), () => {
          const to = appKey({ user: name.user, app: appSegment(full) });
          return to === appKey(name) ? renamed(name, full) : withLock(to, () => renamed(name, full));
        }),
      ),
    finishRenames: async () => {
      for (const name of await list()) {
        const stored = await find(name).catch(() => undefined);
        const root = stored && folders.ofApp({ user: name.user, app: appSegment(stored.name) }).root;
        // One that cannot be moved concerns no other.
        if (root && !existsSync(root)) await rename(folders.ofApp(name).root, root).catch(() => undefined);
      }
    },
    change: (name, fields) =>
      withLock(appKey(name), async () => {
        const before = await get(name);
        const changed = typeof fields === 'function' ? fields(before) : fields;
        const app = { ...before, ...changed, updated_at: new Date().toISOString() };
        await write(name, app);
        return app;
      }),
    put: (name, manifest, scale) => withLock(appKey(name), () => put(name, manifest, scale)),
    remove: (name) => withLock(appKey(name), () => removeAtOnce(folders, folders.ofApp(name).root)),
    list,
  };
}

async function ofUser(folders: Folders, user: string): Promise<AppName[]> {
  return (await subfolders(folders.ofUser(user))).map((app) => ({ user, app }));
}

async function subfolders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Returns the full name of manifest and path, which must agree. */
function nameOf(path: AppName, manifest: Manifest): string {
  const name = manifest.name ?? path.full ?? path.app;
  if (typeof name !== 'string') throw new HttpError(400, 'The name in the manifest is not a string.');
  const full = checkedPackage(name);
  if (appSegment(full) === path.app && (path.full ?? full) === full) return full;
  throw new HttpError(400, `The manifest names ${full}, the path ${path.full ?? path.app}.`);
}
