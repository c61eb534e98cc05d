import type { HostToken, Sealer, StoredToken, TokenStore } from './ports/repository-host.ts';

/** The application of a token that is valid for all applications of a user. */
export const ANY_APP = '*';

export interface TokenAccess {
  readonly tokens: TokenStore;
  readonly sealer: Sealer;
}

/**
 * Returns the user's token for a host, to fetch code with; null when none is stored for all applications. A token for a
 * single application is for commit statuses only.
 */
export async function fetchToken(access: TokenAccess, user: string, host: string): Promise<HostToken> {
  return open(access, user, await access.tokens.get(user, host, ANY_APP));
}

/** Returns the user's token for commit statuses: the application's, else the one for all applications, else null. */
export async function statusToken(
  access: TokenAccess,
  user: string,
  host: string,
  app: string | null,
): Promise<HostToken> {
  const ofApp = app === null ? null : await access.tokens.get(user, host, app);
  return open(access, user, ofApp ?? (await access.tokens.get(user, host, ANY_APP)));
}

/** Returns a sealer that opens each secret once until it is to forget: on AWS each opening is a call that is paid. */
export function openingOnce(sealer: Sealer): Sealer & { forget(): void } {
  const opened = new Map<string, Promise<string>>();
  return {
    ...sealer,
    open: (sealed, context) => {
      const key = JSON.stringify([sealed, context]);
      const known = opened.get(key) ?? sealer.open(sealed, context);
      opened.set(key, known);
      return known;
    },
    forget: () => opened.clear(),
  };
}

async function open({ sealer }: TokenAccess, user: string, token: StoredToken | null): Promise<HostToken> {
  return token && sealer.open(token.sealed, { purpose: 'repo-token', user, host: token.host });
}
