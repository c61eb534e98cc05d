import type { ErrorCode } from './errors.ts';

/** The part of a request that the login depends on. */
export interface LoginRequest {
  /** The route's path as the API declares it: `/1/status/{user}/webhooks`. */
  readonly resource: string;
  /** The `{user}` of the path, still percent-encoded; undefined when the route has none. */
  readonly pathUser: string | undefined;
  /** The `Authorization` header as sent. Holds the secret: never logged. */
  readonly authorization: string | undefined;
  /** The address of the client. */
  readonly address: string;
}

/**
 * The authenticated user, or the code (always a 401) and the detail of the refusal, or the seconds after which the
 * login can be checked.
 */
export type LoginDecision =
  | { readonly allowed: true; readonly user: string }
  | { readonly throttledSeconds: number }
  | { readonly allowed: false; readonly code: ErrorCode; readonly detail: string };
