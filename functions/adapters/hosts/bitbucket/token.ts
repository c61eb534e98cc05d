import { basicHeader } from '../../../core/basic-auth.ts';

/**
 * Returns the headers that authenticate. An API token is stored with its e-mail address, `email:token`, and sent as
 * Basic; an access token of a repository, project or workspace has none and is sent as Bearer.
 *
 * https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/
 */
export function headersOf(token: string): Readonly<Record<string, string>> {
  const isPair = token.includes(':');
  return { authorization: isPair ? basicHeader(token) : `Bearer ${token}` };
}

/** Returns the token without the e-mail address. */
export function secretOf(token: string): string {
  return token.slice(token.indexOf(':') + 1);
}
