/** Time limits of the requests of a client, in milliseconds. */
export interface RequestLimits {
  readonly connectionTimeout: number;
  /** Until the response begins. */
  readonly requestTimeout: number;
  /** Without this the SDK only logs that the limit was exceeded, and waits on. */
  readonly throwOnRequestTimeout: true;
}

/**
 * Returns the limits of a client. A request that exceeds them fails and is tried again, up to three times in all
 * (https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/node-configuring-maxsockets.html).
 */
export function requestLimits(requestTimeout: number): {
  readonly maxAttempts: number;
  readonly requestHandler: RequestLimits;
} {
  return { maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true } };
}
