/** A request that is not served: its status, and a sentence. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Returns the error for what does not exist and for what the caller may not see: the two must look the same. */
export function notFound(): Refused {
  return new Refused(404, 'Not Found');
}
