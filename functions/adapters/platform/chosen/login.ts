import type { Accounts } from '../../../core/ports/accounts.ts';
import { isOnLambda, platformUrl } from '../../aws/platform/kind.ts';
import { httpAccounts } from '../accounts.ts';

/**
 * Returns the accounts of the configured platform, to check logins. The adapter of AWS Lambda is loaded when it is
 * needed: it comes with a client that the other does not have.
 */
export async function chosenLogin(): Promise<Pick<Accounts, 'authenticate'>> {
  return isOnLambda() ? onLambda() : httpAccounts({ url: platformUrl() });
}

async function onLambda(): Promise<Accounts> {
  const { lambdaAccounts } = await import('../aws-lambda/accounts/accounts.ts');
  const { connectTable } = await import('../aws-lambda/connect-table.ts');
  return lambdaAccounts({ table: connectTable() });
}
