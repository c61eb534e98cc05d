import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Accounts } from '../../functions/core/ports/accounts.ts';

/** Accounts under test, with two users and controls for tests. */
export interface AccountsUnderTest {
  readonly accounts: Accounts;
  readonly users: readonly [TestUser, TestUser];
  /** Revokes the user's API token. */
  revoke(user: TestUser): Promise<void>;
  /** Makes the authentication server unreachable. */
  takeDown(): Promise<void>;
  close(): Promise<void>;
}

export interface TestUser {
  readonly user: string;
  readonly password: string;
  readonly token: string;
}

const unauthorized = { code: 'mw:auth:unauthorized', status: 401, retry: false };

/** The contract of the port `Accounts`; every implementation must pass it. */
export function accountsContract(title: string, open: () => Promise<AccountsUnderTest>): void {
  describe(`${title}, as accounts`, () => {
    let at: AccountsUnderTest;
    let accounts: Accounts;
    let kiwi: TestUser;
    let melon: TestUser;

    beforeEach(async () => {
      at = await open();
      accounts = at.accounts;
      [kiwi, melon] = at.users;
    });
    afterEach(() => at?.close());

    it('authenticate a user by password and return the user record', async () => {
      expect(await accounts.authenticate(kiwi.user, kiwi.password)).toEqual({
        user: kiwi.user,
        record: expect.objectContaining({ username: kiwi.user }),
      });
    });

    it('authenticate a user by API token', async () => {
      expect(await accounts.authenticate(kiwi.user, kiwi.token)).toMatchObject({ user: kiwi.user });
    });

    it('refuse a wrong secret, an empty one and another user’s', async () => {
      for (const secret of ['wrong', '', melon.password, melon.token]) {
        await expect(accounts.authenticate(kiwi.user, secret)).rejects.toMatchObject(unauthorized);
      }
    });

    it('refuse unknown users of any name', async () => {
      const odd = ['', '.', '..', '../kiwi', 'a b', 'ki%77i', 'käse', '\ud800', 'constructor', 'x'.repeat(500)];
      for (const user of ['nobody', ...odd]) {
        await expect(accounts.authenticate(user, kiwi.password), user).rejects.toMatchObject(unauthorized);
      }
    });

    it('refuse a revoked token', async () => {
      await at.revoke(kiwi);
      await expect(accounts.authenticate(kiwi.user, kiwi.token)).rejects.toMatchObject(unauthorized);
    });

    it('refuse a valid login whose user record has no username', async () => {
      await accounts.update({ user: kiwi.user, record: { email: 'kiwi@example.com' } });
      await expect(accounts.authenticate(kiwi.user, kiwi.password)).rejects.toMatchObject({
        code: 'mw:auth:no_username',
        status: 401,
      });
    });

    it('report a wrong secret rather than a malformed user record', async () => {
      await accounts.update({ user: kiwi.user, record: {} });
      await expect(accounts.authenticate(kiwi.user, 'wrong')).rejects.toMatchObject(unauthorized);
    });

    it('return the user record to the service and store its update unchanged', async () => {
      const { record } = await accounts.read(kiwi.user);
      const next = { ...record, repohost: { github: { login: 'kiwi', scopes: ['repo'] } }, unknown: null };
      await accounts.update({ user: kiwi.user, record: next });
      expect(await accounts.read(kiwi.user)).toEqual({ user: kiwi.user, record: next });
      expect(await accounts.authenticate(kiwi.user, kiwi.password)).toEqual({ user: kiwi.user, record: next });
    });

    it('do not change other users', async () => {
      const before = await accounts.read(melon.user);
      await accounts.update({ user: kiwi.user, record: { username: kiwi.user, changed: true } });
      expect(await accounts.read(melon.user)).toEqual(before);
    });

    it('fail with a final error for users who do not exist', async () => {
      for (const user of ['nobody', '..']) {
        await expect(accounts.read(user)).rejects.toMatchObject({
          code: 'auth:repohost:get_user_failed',
          retry: false,
        });
        await expect(accounts.update({ user, record: { username: user } })).rejects.toMatchObject({
          code: 'auth:repohost:update_user_failed',
          retry: false,
        });
      }
    });

    it('fail with retryable errors while they are down', async () => {
      await at.takeDown();
      const retryable = (code: string) => ({ code, status: 500, retry: true });
      const { user, password } = kiwi;
      await expect(accounts.authenticate(user, password)).rejects.toMatchObject(retryable('mw:auth:auth_server_down'));
      await expect(accounts.read(user)).rejects.toMatchObject(retryable('auth:repohost:get_user_failed'));
      await expect(accounts.update({ user, record: {} })).rejects.toMatchObject(
        retryable('auth:repohost:update_user_failed'),
      );
    });
  });
}
