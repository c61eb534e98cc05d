import type { AppVariables } from '../../../core/ports/apps/app-variables.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformKind } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppVariables } from '../app-variables.ts';

/** Returns the variables of applications on the configured platform. */
export async function chosenVariables(clock: Clock): Promise<AppVariables> {
  const kind = platformKind();
  if (kind === 'http') return httpAppVariables(await platformAccess());
  if (kind === 'heroku') {
    const { herokuAppVariables } = await import('../heroku/run/app-variables.ts');
    const { connectHeroku } = await import('../heroku/connect-parts.ts');
    return herokuAppVariables(connectHeroku(clock));
  }
  const { lambdaAppVariables } = await import('../aws-lambda/run/app-variables.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppVariables(connectParts(clock));
}
