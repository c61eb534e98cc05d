import { variable } from '../adapters/aws/environment.ts';
import { httpAccounts } from '../adapters/platform/accounts.ts';
import type { Accounts } from '../core/ports/accounts.ts';
import type { Clock } from '../core/ports/clock.ts';

/** Returns the authorizer's ports, from the environment. It runs before every request, so it loads no dependency. */
export function connect(): { readonly accounts: Accounts; readonly clock: Pick<Clock, 'now'> } {
  return { accounts: httpAccounts({ url: variable('PLATFORM_URL') }), clock: { now: Date.now } };
}
