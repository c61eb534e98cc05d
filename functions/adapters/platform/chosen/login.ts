import type { Accounts } from '../../../core/ports/accounts.ts';
import { keepsUsers, platformUrl } from '../../aws/platform/kind.ts';
import { httpLogin } from '../http/login.ts';

/**
 * Returns the accounts of the configured platform, to check logins. The adapter that reads the platform's table is
 * loaded when it is needed: it comes with a client that the other does not have.
 */
export async function chosenLogin(): Promise<Pick<Accounts, 'authenticate'>> {
  return keepsUsers() ? inTable() : httpLogin({ url: platformUrl() });
}

async function inTable(): Promise<Accounts> {
  const { tableAccounts } = await import('../in-table/accounts/accounts.ts');
  const { connectTable } = await import('../in-table/connect-table.ts');
  return tableAccounts({ table: connectTable() });
}
