import type { HostToken } from './ports/repository-host.ts';
import type { Sealer } from './ports/sealer.ts';
import type { StoredToken, TokenStore } from './ports/token-store.ts';

/** A token for every application of a user. */
export const ANY_APP = '*';

/** What opening a token needs. */
export interface TokenAccess {
  readonly tokens: TokenStore;
  readonly sealer: Sealer;
}

/**
 * The user's opened token for a host, to fetch code with; null when none is stored, or one for a single application
 * only: such a token is for commit statuses and never for fetching.
 */
export async function fetchToken(access: TokenAccess, user: string, host: string): Promise<HostToken> {
  return open(access, user, await access.tokens.get(user, host, ANY_APP));
}

/** The user's opened token for commit statuses of an application: its own, or else the one for all; null without. */
export async function statusToken(
  access: TokenAccess,
  user: string,
  host: string,
  app: string | null,
): Promise<HostToken> {
  const own = app === null ? null : await access.tokens.get(user, host, app);
  return open(access, user, own ?? (await access.tokens.get(user, host, ANY_APP)));
}

async function open({ sealer }: TokenAccess, user: string, token: StoredToken | null): Promise<HostToken> {
  return token && sealer.open(token.sealed, { purpose: 'repo-token', user, host: token.host });
}
