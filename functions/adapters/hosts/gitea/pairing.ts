import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { basicHeader } from '../../../core/basic-auth.ts';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import { isSegment } from '../coordinates.ts';
import type { Credentials } from '../dialect.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { checkOwner, isRefused, notPaired } from '../pairing.ts';
import type { Api } from '../rest.ts';

const requiredScopes = ['read:user', 'write:repository'];
const User = v.object({ login: v.string() });
const Created = v.object({ sha1: v.pipe(v.string(), v.minLength(1)), scopes: v.nullish(v.array(v.string())) });

/**
 * Exchanges a password for a token, which these hosts still support; a secret that already is a token is checked and
 * kept.
 *
 * https://docs.gitea.com/development/api-usage#generating-and-listing-api-tokens
 */
export async function pairWith(api: Api, credentials: Credentials): Promise<Pairing> {
  const { login, secret } = credentials;
  const { host } = api.purpose;
  if (!isSegment(login)) throw notPaired(`No user of ${host} has such a name.`);
  // A password may also have the format of a token: then it is exchanged like any other password.
  if (/^[0-9a-f]{40}$/.test(secret)) {
    const owner = await ownerOf(api);
    if (owner !== null) return kept(api, { ...credentials, owner });
  }
  const { sha1: token, scopes } = await exchanged(api, credentials);
  const owner = await ownerOf(api.with({ token }));
  if (owner === null) throw notPaired(`${host} created a token that it does not accept; create one in its settings.`);
  checkOwner([owner], login, host);
  return { login: owner, token, scopes: scopes ?? [], expiresAt: null };
}

/** Checks a token that the user created: it must be able to read repositories. Write access cannot be checked. */
async function kept(api: Api, { login, secret, owner }: Credentials & { owner: string }): Promise<Pairing> {
  checkOwner([owner], login, api.purpose.host);
  const response = await api.send({ path: 'user/repos?limit=1' });
  checkAllowed(response);
  if (response.status !== 200) throw await api.refusal(response);
  response.discard();
  return { login: owner, token: secret, scopes: [], expiresAt: null };
}

/** Returns the owner of the token; null when it is not a valid token. */
async function ownerOf(api: Api): Promise<string | null> {
  const response = await api.send({ path: 'user' });
  if (response.status === 401) {
    response.discard();
    return null;
  }
  checkAllowed(response);
  return (await api.parse(User, response)).login;
}

function checkAllowed(response: HttpResponse): void {
  if (!isRefused(response)) return;
  response.discard();
  throw notPaired(`The token is valid, but its scopes are not sufficient: it needs ${requiredScopes.join(' and ')}.`);
}

async function exchanged(api: Api, { login, secret }: Credentials): Promise<v.InferOutput<typeof Created>> {
  // Token names are unique per user.
  const name = `deployment-webhooks-${randomBytes(6).toString('hex')}`;
  const authorization = basicHeader(`${login}:${secret}`);
  const path = `users/${encodeURIComponent(login)}/tokens`;
  const unauthorized = api.with({ token: null, what: 'a token in place of the password' });
  const json = { name, scopes: requiredScopes };
  const response = await unauthorized.send({ method: 'POST', path, headers: { authorization }, json });
  if (isRefused(response) || response.status === 404) {
    response.discard();
    throw notPaired(passwordRefused(api.purpose.host));
  }
  return api.parse(Created, response);
}

function passwordRefused(host: string): string {
  return (
    `${host} did not exchange the password for a token: user name or password are wrong, or the account has two-factor ` +
    'login, for which it also requires a one-time code (X-Gitea-OTP). In that case create a token under Settings, ' +
    `Applications, with the scopes ${requiredScopes.join(' and ')}, and send it in place of the password.`
  );
}
