import { tableUsers } from '../adapters/platform/in-table/accounts/users.ts';
import { connectTable } from '../adapters/platform/in-table/connect-table.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { Users } from '../core/ports/users.ts';

/**
 * Returns the users of the service's own platform. Throws when the service uses another one, which has its own users.
 */
export function connect(): Users {
  return tableUsers({ table: connectTable(), clock: systemClock });
}
