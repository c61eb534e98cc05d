import type { Clock } from '../../../core/ports/clock.ts';
import type { HostingPlatform } from '../../../core/ports/hosting-platform.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpPlatform } from '../http/hosting.ts';
import { byKind, lambdaParts } from './by-kind.ts';

/** Returns the configured platform. */
export function chosenPlatform(clock: Clock): Promise<HostingPlatform> {
  return byKind({
    http: async () => httpPlatform(await platformAccess()),
    'aws-lambda': async () => {
      const { lambdaPlatform } = await import('../aws-lambda/hosting.ts');
      return lambdaPlatform(await lambdaParts(clock));
    },
  });
}
