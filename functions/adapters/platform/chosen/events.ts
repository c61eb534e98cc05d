import type { AppEvents } from '../../../core/ports/apps/app-events.ts';
import { keepsUsers } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppEvents } from '../http/app-events.ts';

/** Returns the events of the configured platform. */
export async function chosenEvents(): Promise<AppEvents> {
  if (!keepsUsers()) return httpAppEvents(await platformAccess());
  const { tableAppEvents } = await import('../in-table/app-events.ts');
  const { connectTable } = await import('../in-table/connect-table.ts');
  return tableAppEvents(connectTable());
}
