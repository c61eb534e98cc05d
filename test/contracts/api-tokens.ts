import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credentials } from '../../functions/core/basic-auth.ts';
import type { ApiTokens } from '../../functions/core/ports/accounts.ts';

/** API tokens for the whole suite. */
export interface TokensUnderTest {
  readonly tokens: ApiTokens;
  /** A user who logs in with the password, and has no tokens. */
  readonly login: Credentials;
  close(): Promise<void>;
}

/** The contract of the port `ApiTokens`; every implementation must pass it. */
export function apiTokensContract(title: string, open: () => Promise<TokensUnderTest>): void {
  describe(`${title}, as the keeper of API tokens`, () => {
    let tokens: ApiTokens;
    let login: Credentials;
    let at: TokensUnderTest;

    beforeAll(async () => {
      at = await open();
      ({ tokens, login } = at);
    });
    afterAll(() => at?.close());

    const refused = { code: 'mw:auth:unauthorized' };

    it('makes tokens with the password, and lists them without their secrets, oldest first', async () => {
      expect(await tokens.list(login)).toEqual([]);
      const made = await tokens.create(login, 'github');
      expect(made).toEqual({
        name: 'github',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        token: expect.stringMatching(/^\S{6,}$/),
      });
      await tokens.create(login, 'laptop');
      expect((await tokens.list(login)).map(({ name }) => name)).toEqual(['github', 'laptop']);
      expect(JSON.stringify(await tokens.list(login))).not.toContain(made.token);
    });

    it('makes tokens with limited rights', async () => {
      const made = await tokens.create(login, 'ci', 'deploy');
      expect(made).toMatchObject({ name: 'ci', rights: 'deploy' });
      expect((await tokens.list(login)).find(({ name }) => name === 'ci')).toMatchObject({ rights: 'deploy' });
    });

    it('refuses a name that is taken, and one that is not allowed', async () => {
      await tokens.create(login, 'twice');
      await expect(tokens.create(login, 'twice')).rejects.toMatchObject({ code: 'request:bad_parameter' });
      await expect(tokens.create(login, 'a/b')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    });

    it('lets a token list and revoke tokens, and make none', async () => {
      const { token } = await tokens.create(login, 'thief');
      const withToken = { user: login.user, secret: token };
      await expect(tokens.create(withToken, 'successor')).rejects.toMatchObject(refused);
      expect((await tokens.list(withToken)).length).toBeGreaterThan(0);
      expect(await tokens.revoke(withToken, 'thief')).toBe(true);
      await expect(tokens.list(withToken)).rejects.toMatchObject(refused);
    });

    it.each(['nothing', '..', 'a/b'])('has no token %j to revoke', async (name) => {
      expect(await tokens.revoke(login, name)).toBe(false);
    });

    it('refuses a wrong login', async () => {
      const wrong = { user: login.user, secret: 'wrong' };
      await expect(tokens.list(wrong)).rejects.toMatchObject(refused);
      await expect(tokens.create(wrong, 'x')).rejects.toMatchObject(refused);
      await expect(tokens.revoke(wrong, 'x')).rejects.toMatchObject(refused);
    });
  });
}
