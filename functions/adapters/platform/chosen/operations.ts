import type { AppOperations } from '../../../core/ports/apps/app-operations.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOperations } from '../http/app-operations.ts';
import { byKind, lambdaParts } from './by-kind.ts';

/** Returns the operations on applications of the configured platform. */
export function chosenOperations(clock: Clock): Promise<AppOperations> {
  return byKind({
    http: async () => httpAppOperations(await platformAccess()),
    'aws-lambda': async () => {
      const { lambdaAppOperations } = await import('../aws-lambda/run/operations.ts');
      return lambdaAppOperations(await lambdaParts(clock));
    },
  });
}
