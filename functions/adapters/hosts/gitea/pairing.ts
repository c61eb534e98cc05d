import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { basicHeader } from '../../../core/basic-auth.ts';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import { isSegment } from '../coordinates.ts';
import { type RequestContext, refusal } from '../failures.ts';
import { checkOwner, isRefused, notPaired, parsed } from '../pairing.ts';
import type { Rest } from '../rest.ts';

interface Credentials {
  readonly login: string;
  readonly secret: string;
}

const requiredScopes = ['read:user', 'write:repository'];
const User = v.object({ login: v.string() });
const Created = v.object({ sha1: v.pipe(v.string(), v.minLength(1)), scopes: v.nullish(v.array(v.string())) });

/**
 * Exchanges a password for a token, which these hosts still support; a secret that already is a token is checked and
 * kept.
 *
 * https://docs.gitea.com/development/api-usage#generating-and-listing-api-tokens
 */
export async function pairWith(rest: Rest, credentials: Credentials, requestContext: RequestContext): Promise<Pairing> {
  const { login, secret } = credentials;
  if (!isSegment(login)) throw notPaired(`No user of ${requestContext.host} has such a name.`);
  // A password may also have the format of a token: then it is exchanged like any other password.
  if (/^[0-9a-f]{40}$/.test(secret)) {
    const owner = await ownerOf(rest, secret, requestContext);
    if (owner !== null) return kept(rest, { ...credentials, owner }, requestContext);
  }
  const created = await exchanged(rest, credentials, requestContext);
  const owner = await ownerOf(rest, created.sha1, requestContext);
  if (owner === null)
    throw notPaired(`${requestContext.host} created a token that it does not accept; create one in its settings.`);
  checkOwner([owner], login, requestContext.host);
  return { login: owner, token: created.sha1, scopes: created.scopes ?? [], expiresAt: null };
}

/** Checks a token that the user created: it must be able to read repositories. Write access cannot be checked. */
async function kept(
  rest: Rest,
  given: Credentials & { owner: string },
  requestContext: RequestContext,
): Promise<Pairing> {
  const { login, secret, owner } = given;
  checkOwner([owner], login, requestContext.host);
  const response = await rest({ path: 'user/repos?limit=1', token: secret }, requestContext);
  if (isRefused(response)) {
    response.discard();
    throw notPaired(`The token is valid, but its scopes are not sufficient: it needs ${requiredScopes.join(' and ')}.`);
  }
  if (response.status !== 200) throw await refusal(requestContext, response);
  response.discard();
  return { login: owner, token: secret, scopes: [], expiresAt: null };
}

/** Returns the owner of a token; null when it is not a valid token. */
async function ownerOf(rest: Rest, token: string, requestContext: RequestContext): Promise<string | null> {
  const response = await rest({ path: 'user', token }, requestContext);
  if (response.status === 401) {
    response.discard();
    return null;
  }
  if (isRefused(response)) {
    response.discard();
    throw notPaired(`The token is valid, but its scopes are not sufficient: it needs ${requiredScopes.join(' and ')}.`);
  }
  return (await parsed(User, response, requestContext)).login;
}

async function exchanged(
  rest: Rest,
  { login, secret }: Credentials,
  requestContext: RequestContext,
): Promise<v.InferOutput<typeof Created>> {
  // Token names are unique per user.
  const name = `deployment-webhooks-${randomBytes(6).toString('hex')}`;
  const authorization = basicHeader(`${login}:${secret}`);
  const path = `users/${encodeURIComponent(login)}/tokens`;
  const request = {
    method: 'POST',
    path,
    token: null,
    headers: { authorization },
    json: { name, scopes: requiredScopes },
  } as const;
  const response = await rest(request, { ...requestContext, what: 'a token in place of the password' });
  if (isRefused(response) || response.status === 404) {
    response.discard();
    throw notPaired(passwordRefused(requestContext.host));
  }
  return parsed(Created, response, requestContext);
}

function passwordRefused(host: string): string {
  return (
    `${host} did not exchange the password for a token: user name or password are wrong, or the account has two-factor ` +
    'login, for which it also requires a one-time code (X-Gitea-OTP). In that case create a token under Settings, ' +
    `Applications, with the scopes ${requiredScopes.join(' and ')}, and send it in place of the password.`
  );
}
