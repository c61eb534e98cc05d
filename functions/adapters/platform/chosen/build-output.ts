import type { BuildOutput } from '../../../core/ports/apps/build-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpBuildOutput } from '../http/build-output.ts';
import { byKind, herokuParts, lambdaParts, scalingoParts } from './by-kind.ts';

/** Returns the output of builds on the configured platform. */
export function chosenBuildOutput(clock: Clock): Promise<BuildOutput> {
  return byKind({
    http: async () => httpBuildOutput(await platformAccess()),
    heroku: async () => {
      const { herokuBuildOutput } = await import('../heroku/build/build-output.ts');
      return herokuBuildOutput(await herokuParts(clock));
    },
    scalingo: async () => {
      const { scalingoBuildOutput } = await import('../scalingo/build/build-output.ts');
      return scalingoBuildOutput(await scalingoParts(clock));
    },
    'aws-lambda': async () => {
      const { lambdaBuildOutput } = await import('../aws-lambda/build/build-output.ts');
      return lambdaBuildOutput(await lambdaParts(clock));
    },
  });
}
