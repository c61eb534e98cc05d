import { FULL_DISK, isFull, OperatorError } from '../files/errors.ts';

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
    options?: ErrorOptions,
  ) {
    super(sentence, options);
  }
}

/** Whether there is not what was asked for. */
export function isMissing(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

/** Whether there was no answer: what was asked for may have been done. */
export function isAway(error: unknown): boolean {
  return error instanceof HttpError && error.status === 503;
}

/** The message of whatever was thrown, for the log of the service. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of what has led to a refusal, for the operator. */
export function causeOf(error: unknown): string {
  return messageOf(error instanceof HttpError ? (error.cause ?? error) : error);
}

const FAILED = 'The service failed; the operator finds the reason in its log.';
const OF_THE_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError, AggregateError];

/** Returns what users read of whatever was thrown: a sentence of this service, never the text of Node or of the system. */
export function sentenceOf(error: unknown): string {
  if (error instanceof HttpError || error instanceof OperatorError) return error.message;
  if (isFull(error)) return FULL_DISK;
  return error instanceof Error && !isForeign(error) ? error.message : FAILED;
}

/** Errors of Node, of the system and of SQLite have a code in capitals, those of the DOM a number. */
function isForeign(error: Error): boolean {
  if (OF_THE_LANGUAGE.some((kind) => error instanceof kind)) return true;
  return 'code' in error && /^[A-Z\d]/.test(String(error.code));
}

/** Returns a refusal with one more sentence after its own. */
export function withSentence(error: unknown, sentence: string): HttpError {
  const { status, log } = error instanceof HttpError ? error : new HttpError(500, '');
  const said = sentenceOf(error);
  return new HttpError(status, `${said}${/[.!?…]$/.test(said) ? '' : '.'} ${sentence}`, log, { cause: error });
}
