import type { Answer } from './exchange.ts';
import { type Attempt, breakdown } from './failures.ts';

/** The body of an answer, chunk by chunk, whose failures under way are the attempt's errors. */
export async function* tarballStream(
  answer: Answer,
  attempt: Attempt,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer.body) {
      // A short body may be here whole by then, and would not fail any more.
      signal.throwIfAborted();
      yield chunk;
    }
    signal.throwIfAborted();
  } catch (cause) {
    throw breakdown(attempt, signal.aborted ? signal.reason : cause);
  }
}
