import type { AppOutput } from '../../../core/ports/apps/app-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOutput } from '../app-output.ts';

/** Returns the output of applications on the configured platform. */
export async function chosenOutput(clock: Clock): Promise<AppOutput> {
  if (!isOnLambda()) return httpAppOutput(await platformAccess());
  const { lambdaAppOutput } = await import('../aws-lambda/run/app-output.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppOutput(connectParts(clock));
}
