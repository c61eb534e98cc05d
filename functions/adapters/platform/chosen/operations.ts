import type { AppOperations } from '../../../core/ports/apps/app-operations.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { platformKind } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppOperations } from '../app-operations.ts';

/** Returns the operations on applications of the configured platform. */
export async function chosenOperations(clock: Clock): Promise<AppOperations> {
  const kind = platformKind();
  if (kind === 'http') return httpAppOperations(await platformAccess());
  if (kind === 'heroku') {
    const { herokuAppOperations } = await import('../heroku/run/operations.ts');
    const { connectHeroku } = await import('../heroku/connect-parts.ts');
    return herokuAppOperations(connectHeroku(clock));
  }
  const { lambdaAppOperations } = await import('../aws-lambda/run/operations.ts');
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return lambdaAppOperations(connectParts(clock));
}
