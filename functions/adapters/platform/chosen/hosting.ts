import type { Clock } from '../../../core/ports/clock.ts';
import type { HostingPlatform } from '../../../core/ports/hosting-platform.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpPlatform } from '../http/hosting.ts';
import { byKind, herokuParts, lambdaParts, scalingoParts } from './by-kind.ts';

/** Returns the configured platform. */
export function chosenPlatform(clock: Clock): Promise<HostingPlatform> {
  return byKind({
    http: async () => httpPlatform(await platformAccess()),
    heroku: async () => {
      const { herokuPlatform } = await import('../heroku/hosting.ts');
      return herokuPlatform(await herokuParts(clock));
    },
    scalingo: async () => {
      const { scalingoPlatform } = await import('../scalingo/hosting.ts');
      return scalingoPlatform(await scalingoParts(clock));
    },
    'aws-lambda': async () => {
      const { lambdaPlatform } = await import('../aws-lambda/hosting.ts');
      return lambdaPlatform(await lambdaParts(clock));
    },
  });
}
