import type { AppVariables } from '../../../core/ports/apps/app-variables.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppVariables } from '../http/app-variables.ts';
import { byKind, lambdaParts } from './by-kind.ts';

/** Returns the variables of applications on the configured platform. */
export function chosenVariables(clock: Clock): Promise<AppVariables> {
  return byKind({
    http: async () => httpAppVariables(await platformAccess()),
    'aws-lambda': async () => {
      const { lambdaAppVariables } = await import('../aws-lambda/run/app-variables.ts');
      return lambdaAppVariables(await lambdaParts(clock));
    },
  });
}
