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

/** What does not exist and what one may not see look the same. */
export function notFound(): RestError {
  return new RestError(404, 'Not Found');
}
