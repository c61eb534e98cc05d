/** The service's own token, which acts for every user. */
export interface ServiceToken {
  /** The token, or what reads it at its first call. */
  readonly serviceToken: string | (() => Promise<string>);
  /** Reads the token again: an operator may have replaced it. Without this, it never changes. */
  readonly renewToken?: () => Promise<string>;
}

/** Sends a request with a token. */
type Send<T> = (token: string) => Promise<T>;

/**
 * Returns a function that sends a request with the token. After a 401 the token is read again and, when it is another
 * one, the request is sent a second time. So an instance that has the token in memory survives its replacement.
 */
export function withServiceToken({
  serviceToken,
  renewToken,
}: ServiceToken): <T extends { readonly status: number }>(send: Send<T>) => Promise<T> {
  let known = typeof serviceToken === 'string' ? serviceToken : undefined;
  return async (send) => {
    const used = known ?? (typeof serviceToken === 'string' ? serviceToken : await serviceToken());
    known ??= used;
    const response = await send(used);
    if (response.status !== 401 || !renewToken) return response;
    // Another request may have read the new one meanwhile.
    if (known === used) known = await renewToken();
    return known === used ? response : send(known);
  };
}
