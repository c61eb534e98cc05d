import type { Clock } from '../../../core/ports/clock.ts';
import type { HostingPlatform } from '../../../core/ports/hosting-platform.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpPlatform } from '../hosting.ts';

/** Returns the configured platform. */
export async function chosenPlatform(clock: Clock): Promise<HostingPlatform> {
  if (!isOnLambda()) return httpPlatform(await platformAccess());
  const { lambdaPlatform } = await import('../aws-lambda/hosting.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaPlatform(connectParts(clock));
}
