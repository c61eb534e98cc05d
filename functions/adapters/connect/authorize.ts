import type { Accounts } from '../../core/ports/accounts.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { httpAccounts } from '../platform/accounts.ts';
import { variable } from './environment.ts';

/**
 * The ports of the function `authorize`, from its environment: `PLATFORM_URL`. A file of its own, because this function
 * stands before every request and must not load what the others need.
 */
export function connectAuthorizer(): { readonly accounts: Accounts; readonly clock: Pick<Clock, 'now'> } {
  return { accounts: httpAccounts({ url: variable('PLATFORM_URL') }), clock: { now: Date.now } };
}
