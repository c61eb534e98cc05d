import { type Platform, type PlatformOptions, startPlatform } from '../../../lib/platform/platform.ts';
import type { Limits } from '../../../lib/platform/settings.ts';
import { openRunner } from '../../../lib/runner/open.ts';
import type { RunnerLimits } from '../../../lib/runner/settings.ts';

export interface InProcessOptions extends Omit<PlatformOptions, 'runner' | 'limits'> {
  readonly limits?: Partial<Limits & RunnerLimits>;
}

/** Starts a platform with a runner in this process, which ends with it. */
export async function startInProcess(options: InProcessOptions): Promise<Platform> {
  const { dataDir: folder, limits = {}, environment: own = process.env, reserve } = options;
  const runner = await openRunner({ folder, limits, own, reserve });
  const started = await startPlatform({ ...options, runner }).catch(async (error: unknown) => {
    await runner.close();
    throw error;
  });
  return { ...started, close: () => started.close().finally(runner.close) };
}
