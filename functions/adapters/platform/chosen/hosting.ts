import type { Clock } from '../../../core/ports/clock.ts';
import type { HostingPlatform } from '../../../core/ports/hosting-platform.ts';
import { platformKind } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpPlatform } from '../hosting.ts';

/** Returns the configured platform. */
export async function chosenPlatform(clock: Clock): Promise<HostingPlatform> {
  const kind = platformKind();
  if (kind === 'http') return httpPlatform(await platformAccess());
  if (kind === 'heroku') {
    const { herokuPlatform } = await import('../heroku/hosting.ts');
    const { connectHeroku } = await import('../heroku/connect-parts.ts');
    return herokuPlatform(connectHeroku(clock));
  }
  const { lambdaPlatform } = await import('../aws-lambda/hosting.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaPlatform(connectParts(clock));
}
