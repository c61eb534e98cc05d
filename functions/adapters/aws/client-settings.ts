/** Time limits of the requests of a client, in milliseconds. */
interface RequestLimits {
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

interface Client {
  readonly middlewareStack: { remove(name: string): boolean };
}

/**
 * Returns the client with the SDK's logger middleware removed. That middleware copies every input and output even
 * without a logger, which takes a tenth of the time of a call. The `logger` option does not prevent the copy: any
 * logger, even one that does nothing, receives it. If a later SDK renames the middleware, calls only become slower.
 *
 * https://aws.amazon.com/blogs/developer/middleware-stack-modular-aws-sdk-js/
 */
export function withoutLogging<T extends Client>(client: T): T {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
