import type { Applications } from '../../../core/ports/apps/applications.ts';
import { keepsUsers } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpApplications } from '../http/applications.ts';

/** Returns the applications on the configured platform. */
export async function chosenApplications(): Promise<Applications> {
  if (!keepsUsers()) return httpApplications(await platformAccess());
  const { tableApplications } = await import('../in-table/applications.ts');
  const { connectTable } = await import('../in-table/connect-table.ts');
  return tableApplications({ table: connectTable() });
}
