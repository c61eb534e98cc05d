import type { AppVariables } from '../../../core/ports/apps/app-variables.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppVariables } from '../app-variables.ts';

/** Returns the variables of applications on the configured platform. */
export async function chosenVariables(clock: Clock): Promise<AppVariables> {
  if (!isOnLambda()) return httpAppVariables(await platformAccess());
  const { lambdaAppVariables } = await import('../aws-lambda/run/app-variables.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppVariables(connectParts(clock));
}
