import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { isolationFor } from '../../../lib/local/programs/isolation.ts';
import { openPlatform, type Platform, type PlatformOptions } from '../../../lib/platform/platform.ts';
import type { Limits } from '../../../lib/platform/settings.ts';
import { storedIn } from '../../../lib/platform/store/stored.ts';
import type { Isolation } from '../../../lib/process/sandbox.ts';
import { openRunner } from '../../../lib/runner/open.ts';
import type { RunnerLimits } from '../../../lib/runner/settings.ts';
import { type Served, serve } from './served.ts';
import { openedTables } from './tables.ts';

export interface InProcessOptions extends Omit<PlatformOptions, 'runner' | 'tables' | 'limits'> {
  readonly limits?: Partial<Limits & RunnerLimits>;
  /** Returns the tables that the platform gets. */
  readonly tables?: (tables: Tables) => Tables;
}

/** Most tests know processes by the ids that these tell of themselves, so applications are isolated with ISOLATION=auto only. */
async function isolationIn(hidden: string): Promise<Isolation | null> {
  return process.env.ISOLATION === 'auto' ? isolationFor({}, { hidden, warn: () => {} }) : null;
}

/** Starts a platform with a runner and tables of its own in this process, which end with it. */
export async function startInProcess(options: InProcessOptions): Promise<Platform & Served> {
  const { dataDir: folder, limits = {}, environment: own = process.env, reserve, publicDomain } = options;
  const stores = openedTables(folder);
  const tables = options.tables?.(stores.tables) ?? stores.tables;
  const runner = await openRunner({ folder, limits, own, reserve });
  const end = () => runner.close().finally(stores.close);
  const isolation = options.isolation === undefined ? await isolationIn(folder) : options.isolation;
  const platform = await openPlatform({ ...options, tables, runner, isolation }).catch(async (error: unknown) => {
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
