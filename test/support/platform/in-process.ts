import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { doorServer } from '../../../lib/http/servers.ts';
import { isolationFor } from '../../../lib/local/programs/isolation.ts';
import type { UsedRunner } from '../../../lib/platform/desired/applications.ts';
import { openPlatform, type Platform, type PlatformOptions } from '../../../lib/platform/platform.ts';
import type { Limits } from '../../../lib/platform/settings.ts';
import type { Snapshots } from '../../../lib/platform/store/snapshots.ts';
import { storedIn } from '../../../lib/platform/store/stored.ts';
import type { Isolation } from '../../../lib/process/sandbox.ts';
import { openRunner } from '../../../lib/runner/open.ts';
import type { RunnerLimits } from '../../../lib/runner/settings.ts';
import { openedTables } from './tables.ts';

export interface InProcessOptions extends Omit<PlatformOptions, 'runner' | 'tables' | 'limits'> {
  readonly limits?: Partial<Limits & RunnerLimits>;
  /** Returns the tables that the platform gets. */
  readonly tables?: (tables: Tables) => Tables;
  /** Returns the runner that the platform gets. */
  readonly runner?: (runner: UsedRunner) => UsedRunner;
}

/** A platform with what it has stored, and a front door. */
export interface InProcess extends Platform {
  readonly snapshots: Snapshots;
  /** Where its applications are reached by the Host header. */
  readonly url: string;
}

/** Most tests know processes by the ids that these tell of themselves, so applications are isolated with ISOLATION=auto only. */
async function isolationIn(hidden: string): Promise<Isolation | null> {
  return process.env.ISOLATION === 'auto' ? isolationFor({}, { hidden, warn: () => {} }) : null;
}

/** Starts a platform with a runner and tables of its own in this process, which end with it. */
export async function startInProcess(options: InProcessOptions): Promise<InProcess> {
  const { dataDir: folder, limits = {}, environment: own = process.env, reserve } = options;
  const stores = openedTables(folder);
  const tables = options.tables?.(stores.tables) ?? stores.tables;
  const runner = await openRunner({ folder, limits, own, reserve });
  const used = options.runner?.(runner) ?? runner;
  const end = () => runner.close().finally(stores.close);
  const isolation = options.isolation === undefined ? await isolationIn(folder) : options.isolation;
  const platform = await openPlatform({ ...options, tables, runner: used, isolation }).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const door = doorServer(runner.door);
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const address = door.address();
  const close = async () => {
    door.close();
    door.closeAllConnections();
    await platform.close().finally(end);
  };
  const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  return { ...platform, snapshots: storedIn(folder, tables).snapshots, url, close };
}
