import type { SqliteUserStore } from '../../functions/adapters/stores/sqlite/users.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type { Users } from '../../functions/core/ports/accounts.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { storedIn } from '../../functions/core/users/stored-user.ts';
import { type UserPorts, userPorts } from '../../functions/core/users/users.ts';

/** The users of the service, whom the configuration of one machine names. */
export interface EngineUsers extends Users, Pick<UserPorts, 'accounts' | 'apiTokens'> {
  /**
   * Makes a user, or gives the user this password; a second call changes nothing. Throws an Error with one sentence when
   * the password cannot be used.
   */
  ensure(login: { readonly user: string; readonly password: string }): Promise<void>;
  names(): Promise<readonly string[]>;
  /**
   * Adds the users of an earlier version by their documents, where there are no users yet. Returns the names of those
   * that are damaged, who are not added.
   */
  takeOver(documents: ReadonlyMap<string, string>): Promise<readonly string[]>;
}

export function engineUsers(store: SqliteUserStore, clock: Pick<Clock, 'now'> = systemClock): EngineUsers {
  const { users, ensureUser, accounts, apiTokens } = userPorts({ store, clock, ids: systemIds });
  return {
    ...users,
    accounts,
    apiTokens,
    ensure: (login) =>
      ensureUser(login).catch((cause: unknown) => {
        if (!(cause instanceof DeployError)) throw cause;
        throw new Error(`The user ${login.user} has no login: ${cause.detail}`, { cause });
      }),
    names: async () => [...(await store.list()).keys()],
    takeOver: async (documents) => {
      const whole = new Map([...documents].filter(([user, document]) => isWhole(user, document)));
      await store.addAll(whole);
      return [...documents.keys()].filter((user) => !whole.has(user));
    },
  };
}

function isWhole(user: string, document: string): boolean {
  try {
    return Boolean(storedIn(user, document));
  } catch {
    return false;
  }
}
