import * as v from 'valibot';
import { DeployError } from '../../../core/errors.ts';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import { readJson } from '../body.ts';
import type { Answer } from '../exchange.ts';
import { type Attempt, refusal } from '../failures.ts';
import type { Api } from '../rest.ts';

const code = 'auth:repohost:github_pairing_failed';
const User = v.object({ login: v.string() });

/**
 * Checks a personal access token with `GET /user` (https://docs.github.com/rest/users/users#get-the-authenticated-user).
 * GitHub has taken no passwords since 2020, which the refusal says.
 */
export async function pairWith(api: Api, host: string, login: string, secret: string): Promise<Pairing> {
  const attempt: Attempt = { code, what: 'the owner of the token', host, authorized: true };
  const answer = await api({ path: 'user', token: secret }, attempt);
  if (answer.status === 401 || (answer.status === 403 && answer.headers['x-ratelimit-remaining'] !== '0')) {
    answer.discard();
    throw new DeployError(code, tokenNeeded(host), { retry: false });
  }
  if (answer.status !== 200) throw await refusal(attempt, answer);
  const user = v.safeParse(User, await readJson(answer));
  if (!user.success) throw new DeployError(code, `The answer of ${host} could not be understood.`, { retry: true });
  if (user.output.login.toLowerCase() !== login.toLowerCase()) {
    throw new DeployError(code, `The token belongs to another user of ${host} than the one given.`, { retry: false });
  }
  return { login: user.output.login, token: secret, ...grantOf(answer) };
}

function tokenNeeded(host: string): string {
  return (
    `${host} did not accept the secret. Passwords do not work there: make a personal access token (fine-grained, with ` +
    'Contents: read and Commit statuses: read and write; or classic, with the scope repo) and send it in place of the password.'
  );
}

/** Fine-grained tokens have no scopes header; tokens without an end have no expiration header. */
function grantOf({ headers }: Answer): Pick<Pairing, 'scopes' | 'expiresAt'> {
  const scopes = String(headers['x-oauth-scopes'] ?? '').split(',');
  const expires = headers['github-authentication-token-expiration'];
  return {
    scopes: scopes.map((scope) => scope.trim()).filter((scope) => scope !== ''),
    expiresAt: typeof expires === 'string' ? rfc3339(expires) : null,
  };
}

/** From `2026-01-30 09:12:13 UTC`, or with an offset in place of `UTC`. */
function rfc3339(text: string): string | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(UTC|Z|[+-]\d\d:?\d\d)$/.exec(text.trim());
  if (!match) return null;
  const [, day, time, zone = ''] = match;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  const at = new Date(`${day}T${time}${offset}`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
