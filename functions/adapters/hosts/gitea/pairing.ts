import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { basicHeader } from '../../../core/basic-auth.ts';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import { isSegment } from '../coordinates.ts';
import { type Attempt, refusal } from '../failures.ts';
import { checkOwner, isRefused, notPaired, parsed } from '../pairing.ts';
import type { Rest } from '../rest.ts';

interface Credentials {
  readonly login: string;
  readonly secret: string;
}

const wanted = ['read:user', 'write:repository'];
const User = v.object({ login: v.string() });
const Made = v.object({ sha1: v.pipe(v.string(), v.minLength(1)), scopes: v.nullish(v.array(v.string())) });

/**
 * Exchanges a password for a token, which these hosts still do; a secret that is a token already is checked and kept.
 *
 * https://docs.gitea.com/development/api-usage#generating-and-listing-api-tokens
 */
export async function pairWith(rest: Rest, credentials: Credentials, attempt: Attempt): Promise<Pairing> {
  const { login, secret } = credentials;
  if (!isSegment(login)) throw notPaired(`No user of ${attempt.host} has such a name.`);
  // The form of a token, though a password may have it too: then it is exchanged like any other.
  if (/^[0-9a-f]{40}$/.test(secret)) {
    const owner = await ownerOf(rest, secret, attempt);
    if (owner !== null) return kept(rest, { ...credentials, owner }, attempt);
  }
  const made = await exchanged(rest, credentials, attempt);
  const owner = await ownerOf(rest, made.sha1, attempt);
  if (owner === null) throw notPaired(`${attempt.host} made a token that it does not accept; make one by hand.`);
  checkOwner([owner], login, attempt.host);
  return { login: owner, token: made.sha1, scopes: made.scopes ?? [], expiresAt: null };
}

/** A token that the user made: it must be able to see repositories. Whether it may write, only writing tells. */
async function kept(rest: Rest, given: Credentials & { owner: string }, attempt: Attempt): Promise<Pairing> {
  const { login, secret, owner } = given;
  checkOwner([owner], login, attempt.host);
  const answer = await rest({ path: 'user/repos?limit=1', token: secret }, attempt);
  if (isRefused(answer)) {
    answer.discard();
    throw notPaired(`The token is good, but its scopes are not enough: it needs ${wanted.join(' and ')}.`);
  }
  if (answer.status !== 200) throw await refusal(attempt, answer);
  answer.discard();
  return { login: owner, token: secret, scopes: [], expiresAt: null };
}

/** Whose a token is; null when it is none. */
async function ownerOf(rest: Rest, token: string, attempt: Attempt): Promise<string | null> {
  const answer = await rest({ path: 'user', token }, attempt);
  if (answer.status === 401) {
    answer.discard();
    return null;
  }
  if (isRefused(answer)) {
    answer.discard();
    throw notPaired(`The token is good, but its scopes are not enough: it needs ${wanted.join(' and ')}.`);
  }
  if (answer.status !== 200) throw await refusal(attempt, answer);
  return (await parsed(User, answer, attempt)).login;
}

async function exchanged(
  rest: Rest,
  { login, secret }: Credentials,
  attempt: Attempt,
): Promise<v.InferOutput<typeof Made>> {
  // A user's tokens have different names, and a name that is taken is refused.
  const name = `deployment-webhooks-${randomBytes(6).toString('hex')}`;
  const authorization = basicHeader(`${login}:${secret}`);
  const path = `users/${encodeURIComponent(login)}/tokens`;
  const call = {
    method: 'POST',
    path,
    token: null,
    headers: { authorization },
    json: { name, scopes: wanted },
  } as const;
  const answer = await rest(call, { ...attempt, what: 'a token in place of the password' });
  if (isRefused(answer) || answer.status === 404) {
    answer.discard();
    throw notPaired(passwordRefused(attempt.host));
  }
  if (answer.status !== 201 && answer.status !== 200) throw await refusal(attempt, answer);
  return parsed(Made, answer, attempt);
}

function passwordRefused(host: string): string {
  return (
    `${host} did not exchange the password for a token: user name or password are wrong, or the account has two-factor ` +
    'login, for which it also asks for the code of the moment (X-Gitea-OTP). Then make a token by hand, under Settings, ' +
    `Applications, with the scopes ${wanted.join(' and ')}, and send it in place of the password.`
  );
}
