import type { BuildOutput } from '../../../core/ports/apps/build-output.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpBuildOutput } from '../build-output.ts';

/** Returns the output of builds on the configured platform. */
export async function chosenBuildOutput(clock: Clock): Promise<BuildOutput> {
  if (!isOnLambda()) return httpBuildOutput(await platformAccess());
  const { lambdaBuildOutput } = await import('../aws-lambda/build/build-output.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaBuildOutput(connectParts(clock));
}
