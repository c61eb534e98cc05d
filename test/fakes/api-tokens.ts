import { DeployError } from '../../functions/core/errors.ts';
import type { ApiToken, ApiTokens } from '../../functions/core/ports/accounts.ts';

/** Returns an in-memory fake of the API tokens of one user; its secrets are `token-<number>`. */
export function memoryApiTokens({ user, password }: { readonly user: string; readonly password: string }): ApiTokens {
  const known = new Map<string, ApiToken & { readonly token: string }>();
  let made = 0;
  const check = (login: { readonly user: string; readonly secret: string }, passwordOnly = false) => {
    const isToken = !passwordOnly && [...known.values()].some(({ token }) => token === login.secret);
    if (login.user === user && (login.secret === password || isToken)) return;
    throw new DeployError('mw:auth:unauthorized', 'The password is needed.');
  };
  return {
    list: async (login) => {
      check(login);
      return [...known.values()].map(({ token: _, ...one }) => one);
    },
    create: async (login, name, rights) => {
      check(login, true);
      if (known.has(name)) throw new DeployError('request:bad_parameter', `There is a token named ${name} already.`);
      if (name.includes('/')) throw new DeployError('request:bad_parameter', 'A name has no slash.');
      made += 1;
      const token = { name, ...(rights && { rights }), createdAt: new Date().toISOString(), token: `token-${made}` };
      known.set(name, token);
      return token;
    },
    revoke: async (login, name) => {
      check(login);
      return known.delete(name);
    },
  };
}
