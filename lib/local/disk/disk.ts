import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskSpace, diskUsage } from '../../files/disk-usage.ts';
import { forOperator, MISSING, OperatorError, unless } from '../../files/errors.ts';
import { DEFAULT_CACHE_MB } from '../../platform/settings.ts';
import { cachesIn, freeCaches, freeReleases, type StoredParts } from '../../platform/store/caches.ts';
import { storedIn } from '../../platform/store/stored.ts';
import { readConfig } from '../config/config.ts';

/** The disk space of a data folder, in bytes. */
interface DiskUse {
  readonly used: number;
  readonly caches: number;
  /** Above it the service removes caches. */
  readonly cacheLimit: number;
  /** Free bytes on its disk. */
  readonly free: number;
}

/** Returns what a data folder uses, also while its service runs. Throws an `OperatorError` when there is none. */
export async function diskUseOf(dataDir: string): Promise<DiskUse> {
  await ownerOf(dataDir);
  const caches = await diskUsage(await withStored(dataDir, cachesIn));
  return {
    used: (await diskUsage([dataDir])).get(dataDir) ?? 0,
    caches: [...caches.values()].reduce((sum, bytes) => sum + bytes, 0),
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

async function ownerOf(dataDir: string): Promise<number> {
  const database = await unless(MISSING, stat(join(dataDir, 'service.db')));
  if (database) return database.uid;
  throw new OperatorError(`There is no data in ${dataDir}: the service has not been started there.`);
}
