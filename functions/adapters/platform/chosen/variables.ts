import type { AppVariables } from '../../../core/ports/apps/app-variables.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppVariables } from '../http/app-variables.ts';
import { byKind, herokuParts, lambdaParts, scalingoParts } from './by-kind.ts';

/** Returns the variables of applications on the configured platform. */
export function chosenVariables(clock: Clock): Promise<AppVariables> {
  return byKind({
    http: async () => httpAppVariables(await platformAccess()),
    heroku: async () => {
      const { herokuAppVariables } = await import('../heroku/run/app-variables.ts');
      return herokuAppVariables(await herokuParts(clock));
    },
    scalingo: async () => {
      const { scalingoAppVariables } = await import('../scalingo/run/app-variables.ts');
      return scalingoAppVariables(await scalingoParts(clock));
    },
    'aws-lambda': async () => {
      const { lambdaAppVariables } = await import('../aws-lambda/run/app-variables.ts');
      return lambdaAppVariables(await lambdaParts(clock));
    },
  });
}
