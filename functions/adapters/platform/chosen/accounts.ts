import type { Accounts } from '../../../core/ports/accounts.ts';
import { keepsUsers, platformUrl } from '../../aws/platform/kind.ts';
import { serviceTokenWhenNeeded } from '../../aws/platform/secret.ts';
import { httpAccounts } from '../http/accounts.ts';

/** Returns the accounts of the configured platform, also to read and update them. */
export async function chosenAccounts(): Promise<Accounts> {
  // Read when needed: a request is answered faster when it does not wait for the secret at a cold start.
  if (!keepsUsers()) return httpAccounts({ url: platformUrl(), ...serviceTokenWhenNeeded() });
  const { tableAccounts } = await import('../in-table/accounts/accounts.ts');
  const { connectTable } = await import('../in-table/connect-table.ts');
  return tableAccounts({ table: connectTable() });
}
