import type { AppEvents } from '../../../core/ports/apps/app-events.ts';
import { keepsUsers } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppEvents } from '../app-events.ts';

/** Returns the events of the configured platform. */
export async function chosenEvents(): Promise<AppEvents> {
  if (!keepsUsers()) return httpAppEvents(await platformAccess());
  const { lambdaAppEvents } = await import('../aws-lambda/run/app-events.ts');
  const { connectTable } = await import('../aws-lambda/connect-table.ts');
  return lambdaAppEvents(connectTable());
}
