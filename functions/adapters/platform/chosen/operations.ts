import type { AppOperations } from '../../../core/ports/apps/app-operations.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOperations } from '../http/app-operations.ts';
import { byKind, herokuParts, lambdaParts, scalingoParts } from './by-kind.ts';

/** Returns the operations on applications of the configured platform. */
export function chosenOperations(clock: Clock): Promise<AppOperations> {
  return byKind({
    http: async () => httpAppOperations(await platformAccess()),
    heroku: async () => {
      const { herokuAppOperations } = await import('../heroku/run/operations.ts');
      return herokuAppOperations(await herokuParts(clock));
    },
    scalingo: async () => {
      const { scalingoAppOperations } = await import('../scalingo/run/operations.ts');
      return scalingoAppOperations(await scalingoParts(clock));
    },
    'aws-lambda': async () => {
      const { lambdaAppOperations } = await import('../aws-lambda/run/operations.ts');
      return lambdaAppOperations(await lambdaParts(clock));
    },
  });
}
