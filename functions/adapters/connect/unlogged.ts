interface Logged {
  readonly middlewareStack: { remove(name: string): boolean };
}

/**
 * The SDK's client without its own log: nobody reads that, but to write nothing it copies every value that is sent or
 * comes back, a tenth of what a call costs.
 */
export function unlogged<T extends Logged>(client: T): T {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
