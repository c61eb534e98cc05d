import type { AppOutput } from '../../../core/ports/apps/app-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformKind } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOutput } from '../app-output.ts';

/** Returns the output of applications on the configured platform. */
export async function chosenOutput(clock: Clock): Promise<AppOutput> {
  const kind = platformKind();
  if (kind === 'http') return httpAppOutput(await platformAccess());
  if (kind === 'heroku') {
    const { herokuAppOutput } = await import('../heroku/run/app-output.ts');
    const { connectHeroku } = await import('../heroku/connect-parts.ts');
    return herokuAppOutput(connectHeroku(clock));
  }
  const { lambdaAppOutput } = await import('../aws-lambda/run/app-output.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppOutput(connectParts(clock));
}
