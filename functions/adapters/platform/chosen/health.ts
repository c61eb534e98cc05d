import type { AppHealth } from '../../../core/ports/apps/app-health.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformKind } from '../../aws/platform/kind.ts';

/** Returns what finds crashed applications on the configured platform; a platform of the platform API tells of them. */
export async function chosenHealth(clock: Clock): Promise<AppHealth> {
  const kind = platformKind();
  if (kind === 'http') return { ended: async () => {}, recheck: async () => {} };
  if (kind === 'heroku') {
    const { herokuAppHealth } = await import('../heroku/run/app-health.ts');
    const { connectHeroku } = await import('../heroku/connect-parts.ts');
    return herokuAppHealth(connectHeroku(clock));
  }
  const { lambdaAppHealth } = await import('../aws-lambda/run/app-health.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppHealth(connectParts(clock));
}
