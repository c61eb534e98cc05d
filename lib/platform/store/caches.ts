import { join } from 'node:path';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { diskUsage } from '../../files/disk-usage.ts';
import type { AppId } from '../../runner/calls.ts';
import type { Apps } from './apps.ts';
import { type Folders, namesIn, removeAtOnce } from './folders.ts';
import { prune, type Snapshots } from './snapshots.ts';

/** Where caches and releases are. */
export interface StoredParts {
  readonly folders: Folders;
  readonly apps: Pick<Apps, 'list' | 'find'>;
  readonly snapshots: Snapshots;
  readonly tables: Tables;
}

/**
 * Returns the folders of caches, each of which may be removed while nothing is built: those of package managers for each
 * user, except for what a release may read while it runs; of frameworks and spare copies for each application; and the
 * fetched programs that no release runs with.
 */
export async function cachesIn({ folders, apps, snapshots }: StoredParts): Promise<readonly string[]> {
  const tools = new Set<string>();
  const running = new Set<string>();
  const caches: string[] = [];
  for (const app of await apps.list()) {
    const { buildCaches, spares } = folders.ofApp(app);
    caches.push(buildCaches, spares);
    for (const { state, tools: used } of await snapshots.list(app)) {
      if (state !== 'ready') continue;
      running.add(app.user);
      for (const tool of used) tools.add(tool);
    }
  }
  for (const user of await namesIn(folders.userCaches)) {
    const names = await namesIn(folders.cachesOf(user));
    // A release finds in `cache` what its build has put into XDG_CACHE_HOME: browsers, engines of databases, models.
    const removable = names.filter((name) => name !== 'cache' || !running.has(user));
    caches.push(...removable.map((name) => join(folders.cachesOf(user), name)));
  }
  const unused = (await namesIn(folders.tools)).filter((name) => !tools.has(name));
  return [...caches, ...unused.map((name) => join(folders.tools, name))];
}

/**
 * Removes caches, the largest first, until the others take at most that many bytes, or nothing may be removed any more.
 * Returns the bytes that are free now.
 */
export async function freeCaches(
  parts: StoredParts,
  limitBytes: number,
  mayGoOn: () => boolean | Promise<boolean> = () => true,
): Promise<number> {
  const sizes = [...(await diskUsage(await cachesIn(parts)))].sort(([, one], [, other]) => other - one);
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  let freed = 0;
  for (const [path, bytes] of sizes) {
    if (total - freed <= limitBytes || !(await mayGoOn())) break;
    // A build that begins meanwhile finds a whole cache or none.
    await removeAtOnce(parts.folders, path);
    freed += bytes;
  }
  return freed;
}

/** Releases of an application to keep: the live one, and the one to which a rollback goes. */
const NEEDED_RELEASES = 2;

/**
 * Removes the releases that neither are live nor were before the one that is; a rollback to them builds again. `each` does
 * the work of an application, or leaves it out.
 */
export async function freeReleases(
  parts: StoredParts,
  each = (_app: AppId, work: () => Promise<void>): Promise<void> => work(),
): Promise<void> {
  const kept = { releases: NEEDED_RELEASES, snapshots: Number.POSITIVE_INFINITY };
  for (const app of await parts.apps.list()) {
    await each(app, () => prune({ ...parts, limits: kept }, app));
  }
}
