import type { AppHealth } from '../../../core/ports/apps/app-health.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { byKind, lambdaParts } from './by-kind.ts';

/** Returns the detection of crashes on the configured platform; the platform API reports them by itself. */
export function chosenHealth(clock: Clock): Promise<AppHealth> {
  return byKind({
    http: async () => ({ ended: async () => {}, recheck: async () => {} }),
    'aws-lambda': async () => {
      const { lambdaAppHealth } = await import('../aws-lambda/run/app-health.ts');
      return lambdaAppHealth(await lambdaParts(clock));
    },
  });
}
