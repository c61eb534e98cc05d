/** A request that is answered as GitHub answers it: status and `{ "message", "documentation_url" }`. */
export class RestError extends Error {
  override readonly name = 'RestError';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Returns the error for what does not exist and for what the caller may not see: the two must look the same. */
export function notFound(): RestError {
  return new RestError(404, 'Not Found');
}
