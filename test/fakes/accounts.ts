import { DeployError } from '../../functions/core/errors.ts';
import type { Account, Accounts } from '../../functions/core/ports/accounts.ts';

/** A user as the twin is told about them. */
export interface MemoryUser {
  readonly user: string;
  /** The password and the API tokens. */
  readonly secrets: readonly string[];
  /** `{ username: user }` when absent. */
  readonly record?: Account['record'];
}

/** Accounts in memory, with what a test does to them. */
export interface MemoryAccounts extends Accounts {
  /** Takes a secret away, as revoking a token does. */
  revoke(user: string, secret: string): void;
  /** From now on no call is answered, or every call again. */
  setDown(down: boolean): void;
  /** How often `authenticate` was called. */
  readonly logins: number;
}

/** The in-memory twin of the accounts, with the same codes. */
export function memoryAccounts(users: readonly MemoryUser[]): MemoryAccounts {
  const secrets = new Map(users.map((one) => [one.user, new Set(one.secrets)]));
  const records = new Map(users.map((one) => [one.user, one.record ?? { username: one.user }]));
  let isDown = false;
  let logins = 0;
  return {
    get logins() {
      return logins;
    },
    revoke: (user, secret) => void secrets.get(user)?.delete(secret),
    setDown: (down) => {
      isDown = down;
    },
    authenticate: async (user, secret) => {
      logins += 1;
      if (isDown) throw new DeployError('mw:auth:auth_server_down', 'The accounts are down.');
      if (!secrets.get(user)?.has(secret)) throw new DeployError('mw:auth:unauthorized', 'No such login.');
      const record = records.get(user);
      if (typeof record?.username !== 'string')
        throw new DeployError('mw:auth:no_username', 'A record without username.');
      return { user, record };
    },
    read: async (user) => {
      const record = records.get(user);
      if (isDown || !record) throw new DeployError('auth:repohost:get_user_failed', 'No such user.', { retry: isDown });
      return { user, record };
    },
    update: async ({ user, record }) => {
      const fails = isDown || !records.has(user);
      if (fails) throw new DeployError('auth:repohost:update_user_failed', 'No such user.', { retry: isDown });
      records.set(user, structuredClone(record));
    },
  };
}
