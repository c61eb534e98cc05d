import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskSpace, diskUsage } from '../../files/disk-usage.ts';
import { forOperator, MISSING, OperatorError, unless } from '../../files/errors.ts';
import { DEFAULT_CACHE_MB } from '../../platform/settings.ts';
import { cachesIn, freeCaches, freeReleases, type StoredParts } from '../../platform/store/caches.ts';
import { namesIn } from '../../platform/store/folders.ts';
import { storedIn } from '../../platform/store/stored.ts';
import { readConfig } from '../config/config.ts';

/** The disk space of a data folder, in bytes. */
export interface DiskUse {
  readonly kinds: Readonly<Record<Kind | 'other', number>>;
  readonly total: number;
  /** Above it the service removes caches. */
  readonly cacheLimit: number;
  /** Free bytes on its disk. */
  readonly free: number;
}

type Kind = 'database' | 'repositories' | 'sources' | 'releases' | 'caches' | 'logs' | 'data';

/** Returns what a data folder uses, also while its service runs. Throws an `OperatorError` when there is none. */
export async function diskUseOf(dataDir: string): Promise<DiskUse> {
  await ownerOf(dataDir);
  const kinds: Record<string, number> = {};
  for (const [kind, paths] of Object.entries(await withStored(dataDir, (parts) => pathsOf(dataDir, parts)))) {
    kinds[kind] = [...(await diskUsage(paths)).values()].reduce((sum, bytes) => sum + bytes, 0);
  }
  const total = (await diskUsage([dataDir])).get(dataDir) ?? 0;
  const counted = Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0);
  return {
    kinds: { ...(kinds as Record<Kind, number>), other: Math.max(0, total - counted) },
    total,
    cacheLimit: (readConfig(dataDir).cacheMegabytes ?? DEFAULT_CACHE_MB) * 1e6,
    free: (await diskSpace(dataDir)).free,
  };
}

/**
 * Removes all caches, and the releases that are neither live nor the one before. While the service runs it must not be
 * building: what is removed may be in use then. Throws an `OperatorError`.
 */
export async function freeDisk(dataDir: string, runs: boolean): Promise<void> {
  if ((await ownerOf(dataDir)) !== process.getuid?.()) {
    throw new OperatorError(`${dataDir} belongs to another user: free it as that user, or the service cannot read it.`);
  }
  await withStored(dataDir, async (parts) => {
    if (runs && (await isBuilding(parts))) {
      throw new OperatorError('An application is being built: free the disk when that has ended.');
    }
    await freeCaches(parts, 0);
    await freeReleases(parts);
  });
}

/** Does something with the records, also beside the service. */
async function withStored<T>(dataDir: string, work: (parts: StoredParts) => Promise<T>): Promise<T> {
  // Loaded here, because few commands of the command line need a database.
  const { openTables } = await import('../../../functions/adapters/stores/sqlite/tables.ts');
  const tables = await forOperator((async () => openTables(join(dataDir, 'service.db')))());
  try {
    return await work(storedIn(join(dataDir, 'platform'), tables));
  } finally {
    await tables.close();
  }
}

async function isBuilding({ apps: all, snapshots: stored }: StoredParts): Promise<boolean> {
  for (const app of await all.list()) {
    if ((await stored.list(app)).some(({ state }) => state === 'building')) return true;
  }
  return false;
}

async function pathsOf(dataDir: string, parts: StoredParts): Promise<Record<Kind, readonly string[]>> {
  const inFolder = (...names: readonly string[]) => names.map((name) => join(dataDir, name));
  const ofApps = (await parts.apps.list()).map((app) => parts.folders.ofApp(app));
  const rotated = (path: string) => [path, `${path}.1`];
  const caches = await cachesIn(parts);
  const tools = (await namesIn(parts.folders.tools)).map((name) => join(parts.folders.tools, name));
  return {
    database: inFolder('service.db', 'service.db-wal', 'service.db-shm'),
    repositories: inFolder('repositories'),
    sources: [...inFolder('tarballs'), ...ofApps.map((app) => app.snapshots)],
    // What releases have written beside them counts too, and the fetched Node that some run on.
    releases: [
      ...ofApps.flatMap(({ root }) => [join(root, 'releases'), join(root, 'homes')]),
      ...tools.filter((path) => !caches.includes(path)),
    ],
    caches,
    logs: [...rotated(join(dataDir, 'service.log')), ...ofApps.flatMap(({ log }) => rotated(log))],
    data: ofApps.map((app) => app.data),
  };
}

async function ownerOf(dataDir: string): Promise<number> {
  const database = await unless(MISSING, stat(join(dataDir, 'service.db')));
  if (database) return database.uid;
  throw new OperatorError(`There is no data in ${dataDir}: the service has not been started there.`);
}
