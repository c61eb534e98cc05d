import { basicHeader } from '../../../core/basic-auth.ts';
/**
 * The headers that prove whose a call is. An API token goes with the login it belongs to, `email:token`, as Basic; an
 * access token of a repository, project or workspace stands alone, as Bearer.
 *
 * https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/
 */
export function headersOf(token: string): Readonly<Record<string, string>> {
  const isPair = token.includes(':');
  return { authorization: isPair ? basicHeader(token) : `Bearer ${token}` };
}

/** The token without the login. */
export function secretOf(token: string): string {
  return token.slice(token.indexOf(':') + 1);
}
