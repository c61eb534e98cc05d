import type { AppOperations } from '../../../core/ports/apps/app-operations.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOperations } from '../app-operations.ts';

/** Returns the operations on applications of the configured platform. */
export async function chosenOperations(clock: Clock): Promise<AppOperations> {
  if (!isOnLambda()) return httpAppOperations(await platformAccess());
  const { lambdaAppOperations } = await import('../aws-lambda/run/operations.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppOperations(connectParts(clock));
}
