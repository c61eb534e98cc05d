import type { AppHealth } from '../../../core/ports/apps/app-health.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';

/** Returns what finds crashed applications on the configured platform; a platform of the platform API tells of them. */
export async function chosenHealth(clock: Clock): Promise<AppHealth> {
  if (!isOnLambda()) return { ended: async () => {}, recheck: async () => {} };
  const { lambdaAppHealth } = await import('../aws-lambda/run/app-health.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppHealth(connectParts(clock));
}
