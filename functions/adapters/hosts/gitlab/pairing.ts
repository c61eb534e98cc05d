import * as v from 'valibot';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import type { Credentials } from '../dialect.ts';
import { checkOwner, checkScopes, ownerOf } from '../pairing.ts';
import type { Api } from '../rest.ts';

const User = v.object({ username: v.string() });
const TokenItself = v.object({ scopes: v.array(v.string()), expires_at: v.nullish(v.string()) });

/**
 * Checks a personal access token: its owner (https://docs.gitlab.com/api/users/#get-the-current-user) and its scopes
 * (https://docs.gitlab.com/api/personal_access_tokens/#get-details-of-a-personal-access-token). The API does not accept
 * passwords.
 */
export async function pairWith(api: Api, { login, secret }: Credentials): Promise<Pairing> {
  const { host } = api.purpose;
  const { username } = (await ownerOf(api, User, tokenNeeded(host))).owner;
  checkOwner([username], login, host);
  const grant = await grantOf(api);
  checkScopes(grant.scopes, (scope) => scope === 'api', 'api');
  return { login: username, token: secret, ...grant };
}

async function grantOf(api: Api): Promise<Pick<Pairing, 'scopes' | 'expiresAt'>> {
  const response = await api.send({ path: 'personal_access_tokens/self' });
  // Old versions do not have this endpoint, and it does not support other kinds of tokens.
  if ([400, 401, 403, 404].includes(response.status)) {
    response.discard();
    return { scopes: [], expiresAt: null };
  }
  const { scopes, expires_at } = await api.parse(TokenItself, response);
  return { scopes, expiresAt: expires_at ? midnight(expires_at) : null };
}

/** Returns midnight UTC of an expiry date, when the token expires; null for an invalid date. */
function midnight(date: string): string | null {
  const at = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function tokenNeeded(host: string): string {
  return (
    `${host} did not accept the secret: it is wrong, revoked, expired, lacks scopes, or is a password. Passwords do not ` +
    'work there: make a personal access token with the scope api and send it in place of the password.'
  );
}
