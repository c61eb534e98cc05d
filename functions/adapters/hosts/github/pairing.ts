import * as v from 'valibot';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import type { Credentials } from '../dialect.ts';
import { checkOwner, checkScopes, ownerOf, scopesIn } from '../pairing.ts';
import type { Api } from '../rest.ts';

const User = v.object({ login: v.string() });
const sufficient = new Set(['repo', 'public_repo', 'repo:status']);

/**
 * Checks a personal access token with `GET /user`
 * (https://docs.github.com/rest/users/users#get-the-authenticated-user). GitHub has not accepted passwords since 2020;
 * the error says so.
 */
export async function pairWith(api: Api, { login, secret }: Credentials): Promise<Pairing> {
  const { host } = api.purpose;
  const { owner: user, response } = await ownerOf(api, User, tokenNeeded(host));
  checkOwner([user.login], login, host);
  // Fine-grained tokens have no scopes header; tokens that do not expire have no expiration header.
  const scopes = scopesIn(response.headers['x-oauth-scopes']);
  checkScopes(scopes, (scope) => sufficient.has(scope), 'repo');
  const expires = response.headers['github-authentication-token-expiration'];
  return { login: user.login, token: secret, scopes, expiresAt: typeof expires === 'string' ? rfc3339(expires) : null };
}

function tokenNeeded(host: string): string {
  return (
    `${host} did not accept the secret: it is wrong, revoked, expired, or a password. Passwords do not work there: make ` +
    'a personal access token (fine-grained, with Contents: read and Commit statuses: read and write, for previews also ' +
    'Pull requests: read; or classic, with the scope repo) and send it in place of the password.'
  );
}

/** Converts `2026-01-30 09:12:13 UTC`, or the same with an offset, to RFC 3339; null for any other string. */
function rfc3339(text: string): string | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(UTC|Z|[+-]\d\d:?\d\d)$/.exec(text.trim());
  if (!match) return null;
  const [, day, time, zone = ''] = match;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  const at = new Date(`${day}T${time}${offset}`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
