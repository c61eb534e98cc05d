import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Accounts } from '../../functions/core/ports/accounts.ts';

/** Accounts under test, with two users, and the hands to change something. */
export interface AccountsUnderTest {
  readonly accounts: Accounts;
  readonly users: readonly [TestUser, TestUser];
  /** Revokes the user's API token. */
  revoke(user: TestUser): Promise<void>;
  /** Makes it as if the authentication server were gone. */
  takeDown(): Promise<void>;
  close(): Promise<void>;
}

export interface TestUser {
  readonly user: string;
  readonly password: string;
  readonly token: string;
}

const unauthorized = { code: 'mw:auth:unauthorized', status: 401, retry: false };

/** What every authentication server does, whichever is behind the port. */
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

    it('know a user by the password, with the record', async () => {
      expect(await accounts.authenticate(kiwi.user, kiwi.password)).toEqual({
        user: kiwi.user,
        record: expect.objectContaining({ username: kiwi.user }),
      });
    });

    it('know a user by an API token', async () => {
      expect(await accounts.authenticate(kiwi.user, kiwi.token)).toMatchObject({ user: kiwi.user });
    });

    it('refuse a wrong secret, an empty one and the secret of somebody else', async () => {
      for (const secret of ['wrong', '', melon.password, melon.token]) {
        await expect(accounts.authenticate(kiwi.user, secret)).rejects.toMatchObject(unauthorized);
      }
    });

    it('refuse users who do not exist, whatever they are called', async () => {
      const odd = ['', '.', '..', '../kiwi', 'a b', 'ki%77i', 'käse', '\ud800', 'constructor', 'x'.repeat(500)];
      for (const user of ['nobody', ...odd]) {
        await expect(accounts.authenticate(user, kiwi.password), user).rejects.toMatchObject(unauthorized);
      }
    });

    it('refuse a revoked token', async () => {
      await at.revoke(kiwi);
      await expect(accounts.authenticate(kiwi.user, kiwi.token)).rejects.toMatchObject(unauthorized);
    });

    it('refuse a good login whose record has no username', async () => {
      await accounts.update({ user: kiwi.user, record: { email: 'kiwi@example.com' } });
      await expect(accounts.authenticate(kiwi.user, kiwi.password)).rejects.toMatchObject({
        code: 'mw:auth:no_username',
        status: 401,
      });
    });

    it('tell of a wrong secret before a bad record', async () => {
      await accounts.update({ user: kiwi.user, record: {} });
      await expect(accounts.authenticate(kiwi.user, 'wrong')).rejects.toMatchObject(unauthorized);
    });

    it('give the record to the service and keep what it puts there, whole', async () => {
      const { record } = await accounts.read(kiwi.user);
      const next = { ...record, repohost: { github: { login: 'kiwi', scopes: ['repo'] } }, unknown: null };
      await accounts.update({ user: kiwi.user, record: next });
      expect(await accounts.read(kiwi.user)).toEqual({ user: kiwi.user, record: next });
      expect(await accounts.authenticate(kiwi.user, kiwi.password)).toEqual({ user: kiwi.user, record: next });
    });

    it('leave other users as they are', async () => {
      const before = await accounts.read(melon.user);
      await accounts.update({ user: kiwi.user, record: { username: kiwi.user, changed: true } });
      expect(await accounts.read(melon.user)).toEqual(before);
    });

    it('have no record of users who do not exist, for good', async () => {
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

    it('that are down say so, and that it may pass', async () => {
      await at.takeDown();
      const passing = (code: string) => ({ code, status: 500, retry: true });
      const { user, password } = kiwi;
      await expect(accounts.authenticate(user, password)).rejects.toMatchObject(passing('mw:auth:auth_server_down'));
      await expect(accounts.read(user)).rejects.toMatchObject(passing('auth:repohost:get_user_failed'));
      await expect(accounts.update({ user, record: {} })).rejects.toMatchObject(
        passing('auth:repohost:update_user_failed'),
      );
    });
  });
}
