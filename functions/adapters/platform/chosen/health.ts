import type { AppHealth } from '../../../core/ports/apps/app-health.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { byKind, herokuParts, lambdaParts, scalingoParts } from './by-kind.ts';

/** Returns the detection of crashes on the configured platform; the platform API reports them by itself. */
export function chosenHealth(clock: Clock): Promise<AppHealth> {
  return byKind({
    http: async () => ({ ended: async () => {}, recheck: async () => {} }),
    heroku: async () => {
      const { herokuAppHealth } = await import('../heroku/run/app-health.ts');
      return herokuAppHealth(await herokuParts(clock));
    },
    scalingo: async () => {
      const { scalingoAppHealth } = await import('../scalingo/run/app-health.ts');
      return scalingoAppHealth(await scalingoParts(clock));
    },
    'aws-lambda': async () => {
      const { lambdaAppHealth } = await import('../aws-lambda/run/app-health.ts');
      return lambdaAppHealth(await lambdaParts(clock));
    },
  });
}
