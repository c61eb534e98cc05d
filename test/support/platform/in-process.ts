import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { openPlatform, type Platform, type PlatformOptions } from '../../../lib/platform/platform.ts';
import type { Limits } from '../../../lib/platform/settings.ts';
import { storedIn } from '../../../lib/platform/store/stored.ts';
import { openRunner } from '../../../lib/runner/open.ts';
import type { RunnerLimits } from '../../../lib/runner/settings.ts';
import { type Served, serve } from './served.ts';
import { openedTables } from './tables.ts';

export interface InProcessOptions extends Omit<PlatformOptions, 'runner' | 'tables' | 'limits'> {
  readonly limits?: Partial<Limits & RunnerLimits>;
  /** Returns the tables that the platform gets. */
  readonly tables?: (tables: Tables) => Tables;
}

/** Starts a platform with a runner and tables of its own in this process, which end with it. */
export async function startInProcess(options: InProcessOptions): Promise<Platform & Served> {
  const { dataDir: folder, limits = {}, environment: own = process.env, reserve, publicDomain } = options;
  const stores = openedTables(folder);
  const tables = options.tables?.(stores.tables) ?? stores.tables;
  const runner = await openRunner({ folder, limits, own, reserve });
  const end = () => runner.close().finally(stores.close);
  const platform = await openPlatform({ ...options, tables, runner }).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const { snapshots } = storedIn(folder, tables);
  const served = await serve({ platform, door: runner.door, domain: publicDomain?.domain, snapshots });
  const close = async () => {
    await served.close();
    await platform.close().finally(end);
  };
  return { ...platform, url: served.url, close };
}
