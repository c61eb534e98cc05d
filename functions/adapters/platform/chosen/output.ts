import type { AppOutput } from '../../../core/ports/apps/app-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOutput } from '../http/app-output.ts';
import { byKind, lambdaParts } from './by-kind.ts';

/** Returns the output of applications on the configured platform. */
export function chosenOutput(clock: Clock): Promise<AppOutput> {
  return byKind({
    http: async () => httpAppOutput(await platformAccess()),
    'aws-lambda': async () => {
      const { lambdaAppOutput } = await import('../aws-lambda/run/app-output.ts');
      return lambdaAppOutput(await lambdaParts(clock));
    },
  });
}
