import type { Answer } from './exchange.ts';
import { type Attempt, breakdown } from './failures.ts';

/** The body of an answer, chunk by chunk, whose failures under way are the attempt's errors. */
export async function* tarballStream(
  answer: Answer,
  attempt: Attempt,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* answer.body;
  } catch (cause) {
    throw breakdown(attempt, signal.aborted ? signal.reason : cause);
  }
}
