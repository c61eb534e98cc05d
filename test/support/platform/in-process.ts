import { openPlatform, type Platform, type PlatformOptions } from '../../../lib/platform/platform.ts';
import type { Limits } from '../../../lib/platform/settings.ts';
import { folders } from '../../../lib/platform/store/folders.ts';
import { snapshots } from '../../../lib/platform/store/snapshots.ts';
import { openRunner } from '../../../lib/runner/open.ts';
import type { RunnerLimits } from '../../../lib/runner/settings.ts';
import { type Served, serve } from './served.ts';

export interface InProcessOptions extends Omit<PlatformOptions, 'runner' | 'limits'> {
  readonly limits?: Partial<Limits & RunnerLimits>;
}

/** Starts a platform with a runner in this process, which ends with it. */
export async function startInProcess(options: InProcessOptions): Promise<Platform & Served> {
  const { dataDir: folder, limits = {}, environment: own = process.env, reserve, publicDomain } = options;
  const runner = await openRunner({ folder, limits, own, reserve });
  const platform = await openPlatform({ ...options, runner }).catch(async (error: unknown) => {
    await runner.close();
    throw error;
  });
  const parts = { platform, door: runner.door, domain: publicDomain?.domain, snapshots: snapshots(folders(folder)) };
  const served = await serve(parts);
  const close = async () => {
    await served.close();
    await platform.close().finally(runner.close);
  };
  return { ...platform, url: served.url, close };
}
