import type { Applications } from '../../../core/ports/apps/applications.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpApplications } from '../applications.ts';

/** Returns the applications on the configured platform. */
export async function chosenApplications(clock: Clock): Promise<Applications> {
  if (!isOnLambda()) return httpApplications(await platformAccess());
  const { lambdaApplications } = await import('../aws-lambda/run/applications.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaApplications(connectParts(clock));
}
