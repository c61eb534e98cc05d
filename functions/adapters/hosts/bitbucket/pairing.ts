import * as v from 'valibot';
import type { Pairing } from '../../../core/ports/repository-host.ts';
import type { Credentials } from '../dialect.ts';
import { checkOwner, checkScopes, ownerOf, scopesIn } from '../pairing.ts';
import type { Api } from '../rest.ts';

const User = v.object({ username: v.nullish(v.string()), nickname: v.nullish(v.string()) });

/**
 * Checks an API token with `GET /user`
 * (https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/#api-user-get). The login is the e-mail address
 * of the Atlassian account and is stored with the token, which does not work without it. Bitbucket no longer accepts
 * passwords and app passwords.
 */
export async function pairWith(api: Api, { login, secret }: Credentials): Promise<Pairing> {
  const token = `${login}:${secret}`;
  const { host } = api.purpose;
  const { owner, response } = await ownerOf(api.with({ token }), User, tokenNeeded(host));
  const { username, nickname } = owner;
  const names = [username, nickname].filter((name) => typeof name === 'string');
  // The response does not contain the e-mail address; the accepted Basic authentication proves that it belongs to the
  // user.
  checkOwner(login.includes('@') ? [login, ...names] : names, login, host);
  const scopes = scopesIn(response.headers['x-oauth-scopes']);
  checkScopes(scopes, (scope) => /\brepository\b/.test(scope), 'read:repository:bitbucket');
  return { login: names[0] ?? login, token, scopes, expiresAt: null };
}

function tokenNeeded(host: string): string {
  return (
    `${host} did not accept the login. Passwords and app passwords do not work there: make an API token with scopes ` +
    '(read:user:bitbucket, read:repository:bitbucket, write:repository:bitbucket) and send the e-mail address of the ' +
    'Atlassian account with it: <email>:<token>. It may also be revoked or expired.'
  );
}
