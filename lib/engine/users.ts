import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type { UserStore, Users } from '../../functions/core/ports/accounts.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { type UserPorts, userPorts } from '../../functions/core/users/users.ts';

/** The users of the service, whom the configuration of one machine names. */
export interface EngineUsers extends Users, Pick<UserPorts, 'accounts' | 'apiTokens'> {
  /**
   * Makes a user, or gives the user this password; a second call changes nothing. Throws an Error with one sentence when
   * the password cannot be used.
   */
  ensure(login: { readonly user: string; readonly password: string }): Promise<void>;
  names(): Promise<readonly string[]>;
}

export function engineUsers(store: UserStore, clock: Pick<Clock, 'now'> = systemClock): EngineUsers {
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
  };
}
