import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import type { UserStore } from '../../functions/core/ports/accounts.ts';
import { userPorts } from '../../functions/core/users/users.ts';
import { derived } from '../support/cheap-passwords.ts';
import { accountsContract, type TestUser } from './accounts.ts';
import { apiTokensContract } from './api-tokens.ts';

/** A store under test, without users. */
interface StoreUnderTest {
  readonly store: UserStore;
  /** Makes each call fail from now on. */
  takeDown(): Promise<void>;
  close(): Promise<void>;
}

/** The contract of the port `UserStore`, and of the users that the core keeps in it. */
export function userStoreContract(title: string, open: () => Promise<StoreUnderTest>): void {
  const withUsers = async () => {
    const at = await open();
    return { ...at, ...userPorts({ store: at.store, clock: systemClock, ids: systemIds }) };
  };

  accountsContract(title, async () => {
    const { users, accounts, takeDown, close } = await withUsers();
    const made = async (user: string): Promise<TestUser> => {
      const { password } = await users.add(user, `password of ${user}`);
      return { user, password, token: (await users.makeToken(user, 'hook')).token };
    };
    return {
      accounts,
      users: [await made('kiwi'), await made('melon')],
      revoke: async ({ user }) => void (await users.revokeToken(user, 'hook')),
      takeDown,
      close,
    };
  });

  apiTokensContract(title, async () => {
    const { users, apiTokens: tokens, close } = await withUsers();
    const { user, password } = await users.add('kiwi');
    return { tokens, login: { user, secret: password }, close };
  });

  describe(`${title}, as the store of users`, () => {
    let at: Awaited<ReturnType<typeof withUsers>>;
    const refused = { code: 'request:bad_parameter' };

    beforeEach(async () => {
      at = await withUsers();
    });
    afterEach(() => at?.close());

    it('has a document until it is removed', async () => {
      const { store } = at;
      expect([await store.read('kiwi'), await store.remove('kiwi')]).toEqual([null, false]);
      expect(await store.write('kiwi', '{"a":1}', null)).toBe(true);
      expect(await store.read('kiwi')).toBe('{"a":1}');
      expect([await store.remove('kiwi'), await store.read('kiwi')]).toEqual([true, null]);
    });

    it('replaces only the document that the caller has read', async () => {
      const { store } = at;
      expect(await store.write('kiwi', 'two', 'one')).toBe(false);
      await store.write('kiwi', 'one', null);
      expect(await store.write('kiwi', 'other', null)).toBe(false);
      expect(await store.write('kiwi', 'two', 'one')).toBe(true);
      expect(await store.write('kiwi', 'three', 'one')).toBe(false);
      expect(await store.read('kiwi')).toBe('two');
    });

    it('lists the documents of all users by name', async () => {
      const { store } = at;
      for (const user of ['melon', 'kiwi', 'Ann']) await store.write(user, `of ${user}`, null);
      expect([...(await store.list())]).toEqual(['Ann', 'kiwi', 'melon'].map((user) => [user, `of ${user}`]));
    });

    it('loses none of several changes at a time', async () => {
      const { users } = at;
      await users.add('kiwi');
      const names = Array.from({ length: 8 }, (_, number) => `ci-${number}`);
      await Promise.all(names.map((name) => users.makeToken('kiwi', name)));
      const [kiwi] = await users.list();
      expect(kiwi?.tokens.map(({ name }) => name).sort()).toEqual(names);
    });

    it('has neither passwords nor tokens in clear', async () => {
      const { users, store } = at;
      const { password } = await users.add('kiwi', 'a long password');
      const { token } = await users.makeToken('kiwi', 'hook');
      const document = await store.read('kiwi');
      expect(document).toContain('"hook"');
      for (const secret of [password, token]) expect(document).not.toContain(secret);
    });

    it('has users who are added once, with a password that is long enough, or a random one', async () => {
      const { users } = at;
      expect((await users.add('kiwi')).password).toMatch(/^[0-9a-f]{40}$/);
      const password = 'a long password';
      for (const one of ['kiwi', 'a/b', '', '-a', 'x'.repeat(64)])
        await expect(users.add(one, password)).rejects.toMatchObject(refused);
      for (const one of ['short', `dwt_${'a'.repeat(40)}`, 'x'.repeat(1025)])
        await expect(users.add('melon', one)).rejects.toMatchObject(refused);
      expect((await users.list()).map(({ user }) => user)).toEqual(['kiwi']);
    });

    it('has 200 tokens of a user at most, because all are read at each login', async () => {
      const { users, store } = at;
      await users.add('kiwi');
      const document = await store.read('kiwi');
      const tokens = Array.from({ length: 199 }, (_, n) => ({ name: `ci-${n}`, hash: `${n}`, created_at: '' }));
      await store.write('kiwi', JSON.stringify({ ...JSON.parse(document ?? ''), tokens }), document);
      await users.makeToken('kiwi', 'last');
      const detail = 'A user has at most 200 API tokens: revoke one first.';
      await expect(users.makeToken('kiwi', 'more')).rejects.toMatchObject({ ...refused, detail });
      await users.revokeToken('kiwi', 'ci-7');
      await expect(users.makeToken('kiwi', 'more')).resolves.toMatchObject({ name: 'more' });
    });

    it('has nobody to change or to log in after a removal, with the same name again neither', async () => {
      const { users, accounts } = at;
      const { password } = await users.add('kiwi');
      const { token } = await users.makeToken('kiwi', 'hook');
      expect([await users.remove('kiwi'), await users.remove('kiwi')]).toEqual([true, false]);
      await expect(users.setPassword('kiwi')).rejects.toMatchObject(refused);
      await expect(users.makeToken('kiwi', 'hook')).rejects.toMatchObject(refused);
      expect(await users.revokeToken('kiwi', 'hook')).toBe(false);
      await users.add('kiwi');
      for (const secret of [password, token])
        await expect(accounts.authenticate('kiwi', secret)).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
    });

    it('has users who are made or get a password as often as that is asked', async () => {
      const { accounts, store, ensureUser } = at;
      await ensureUser({ user: 'kiwi', password: 'one' });
      const made = await store.read('kiwi');
      await ensureUser({ user: 'kiwi', password: 'one' });
      expect(await store.read('kiwi')).toBe(made);
      await ensureUser({ user: 'kiwi', password: 'two' });
      await expect(accounts.authenticate('kiwi', 'one')).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
      expect(await accounts.authenticate('kiwi', 'two')).toMatchObject({ user: 'kiwi' });
    });

    it('has a password hashed once for many logins, and again when it has been changed', async () => {
      const { users, accounts } = at;
      await users.add('kiwi', 'a long password');
      const before = derived.length;
      const logins = Array.from({ length: 200 }, () => accounts.authenticate('kiwi', 'a long password'));
      await Promise.all(logins);
      await accounts.authenticate('kiwi', 'a long password');
      expect(derived.length - before).toBe(1);
      await users.setPassword('kiwi', 'another password');
      await expect(accounts.authenticate('kiwi', 'a long password')).rejects.toThrow();
    });

    it('lets others log in while many wrong passwords are checked', async () => {
      const { users, accounts } = at;
      await users.add('kiwi', 'a long password');
      await users.add('melon', 'another password');
      const { token } = await users.makeToken('kiwi', 'hook');
      const guesses = Array.from({ length: 100 }, (_, guess) =>
        accounts.authenticate('kiwi', `guess ${guess}`).catch(({ code }) => code),
      );
      const good = [accounts.authenticate('kiwi', token), accounts.authenticate('melon', 'another password')];
      expect((await Promise.all(good)).map(({ user }) => user)).toEqual(['kiwi', 'melon']);
      expect(new Set(await Promise.all(guesses))).toContain('mw:auth:unauthorized');
    });

    it.each(['', 'null', '[]', '{"record":{},"tokens":[]}', '{"half'])('has a damaged user: %j', async (damaged) => {
      const { users, accounts, store } = at;
      const { user, password } = await users.add('kiwi');
      await store.write(user, damaged || ' ', await store.read(user));
      await expect(accounts.authenticate(user, password)).rejects.toMatchObject({ code: 'mw:auth:auth_server_down' });
      await expect(accounts.read(user)).rejects.toMatchObject({ code: 'auth:repohost:get_user_failed' });
      const update = accounts.update({ user, record: {} });
      await expect(update).rejects.toMatchObject({ code: 'auth:repohost:update_user_failed' });
    });
  });
}
