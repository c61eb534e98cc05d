import { DeployError } from '../../functions/core/errors.ts';
import type { Account, Accounts, UsedToken } from '../../functions/core/ports/accounts.ts';

/** A user of the fake. */
export interface MemoryUser {
  readonly user: string;
  /** The password and the API tokens. */
  readonly secrets: readonly string[];
  /** `{ username: user }` when absent. */
  readonly record?: Account['record'];
}

/** In-memory accounts with controls for tests. */
export interface MemoryAccounts extends Accounts {
  /** Revokes a secret. */
  revoke(user: string, secret: string): void;
  /** Makes every call fail from now on, or work again. */
  setDown(down: boolean): void;
  /** Makes every login fail as one of too many, with these seconds to wait. */
  throttle(seconds: number): void;
  /** Number of calls of `authenticate`. */
  readonly logins: number;
}

/** Returns an in-memory fake of the accounts, with the same error codes. `tokens`: the secrets that are API tokens. */
export function memoryAccounts(
  users: readonly MemoryUser[],
  tokens?: Readonly<Record<string, UsedToken>>,
): MemoryAccounts {
  const secrets = new Map(users.map((one) => [one.user, new Set(one.secrets)]));
  const records = new Map(users.map((one) => [one.user, one.record ?? { username: one.user }]));
  let isDown = false;
  let logins = 0;
  let throttledSeconds: number | undefined;
  return {
    get logins() {
      return logins;
    },
    revoke: (user, secret) => void secrets.get(user)?.delete(secret),
    setDown: (down) => {
      isDown = down;
    },
    throttle: (seconds) => {
      throttledSeconds = seconds;
    },
    authenticate: async (user, secret) => {
      logins += 1;
      if (throttledSeconds !== undefined)
        throw new DeployError('request:throttled', 'Too many logins.', { retryAfter: throttledSeconds });
      if (isDown) throw new DeployError('mw:auth:auth_server_down', 'The accounts are down.');
      if (!secrets.get(user)?.has(secret)) throw new DeployError('mw:auth:unauthorized', 'No such login.');
      const record = records.get(user);
      if (typeof record?.username !== 'string')
        throw new DeployError('mw:auth:no_username', 'A record without username.');
      return { user, record, ...(tokens?.[secret] && { token: tokens[secret] }) };
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
