import type { BuildOutput } from '../../../core/ports/apps/build-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpBuildOutput } from '../http/build-output.ts';
import { byKind, lambdaParts } from './by-kind.ts';

/** Returns the output of builds on the configured platform. */
export function chosenBuildOutput(clock: Clock): Promise<BuildOutput> {
  return byKind({
    http: async () => httpBuildOutput(await platformAccess()),
    'aws-lambda': async () => {
      const { lambdaBuildOutput } = await import('../aws-lambda/build/build-output.ts');
      return lambdaBuildOutput(await lambdaParts(clock));
    },
  });
}
