import type { BuildOutput } from '../../../core/ports/apps/build-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformKind } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpBuildOutput } from '../build-output.ts';

/** Returns the output of builds on the configured platform. */
export async function chosenBuildOutput(clock: Clock): Promise<BuildOutput> {
  const kind = platformKind();
  if (kind === 'http') return httpBuildOutput(await platformAccess());
  if (kind === 'heroku') {
    const { herokuBuildOutput } = await import('../heroku/build/build-output.ts');
    const { connectHeroku } = await import('../heroku/connect-parts.ts');
    return herokuBuildOutput(connectHeroku(clock));
  }
  const { lambdaBuildOutput } = await import('../aws-lambda/build/build-output.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaBuildOutput(connectParts(clock));
}
