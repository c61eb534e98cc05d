/**
 * A request that cannot be fulfilled: the HTTP status and the one sentence the caller reads as
 * `{ "error": "<sentence>" }`. `log` adds the lines an installation or an application printed. Never holds a secret.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly status: number,
    sentence: string,
    readonly log?: readonly string[],
  ) {
    super(sentence);
  }
}

/** The message of whatever was thrown, for sentences and events. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a refusal with one more sentence after its own. */
export function withSentence(error: unknown, sentence: string): HttpError {
  const { status, log } = error instanceof HttpError ? error : new HttpError(500, '');
  const said = messageOf(error);
  return new HttpError(status, `${said}${/[.!?…]$/.test(said) ? '' : '.'} ${sentence}`, log);
}
