import { chosenLogin } from '../adapters/platform/chosen/login.ts';
import type { Accounts } from '../core/ports/accounts.ts';
import type { Clock } from '../core/ports/clock.ts';

/**
 * Returns the authorizer's ports, from the environment. It runs before every request, so it loads nothing that the
 * configured platform does not need.
 */
export async function connect(): Promise<{
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly clock: Pick<Clock, 'now'>;
}> {
  return { accounts: await chosenLogin(), clock: { now: Date.now } };
}
