import { backOff } from '../../functions/core/concurrency.ts';
import { Problem } from './client.ts';

/** The shortest and the longest pause between two attempts. */
interface BackOff {
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
}

export interface Times extends BackOff {
  /** A stream that lived that long resets the back-off: what follows is a new interruption. */
  readonly stableMs: number;
  /** The longest pause while the service has no free slot for another stream: others may give theirs back at any time. */
  readonly fullMs: number;
}

const TIMES: Times = { minPauseMs: 500, maxPauseMs: 30_000, stableMs: 30_000, fullMs: 5_000 };

/** A stream that is opened again after each interruption. */
interface Resumed<T> {
  /**
   * Yields what is new of one stream and calls `came` with each. Returns whether there will be no more, false at the
   * service's time limit; throws when it is interrupted.
   */
  readonly stream: (came: () => void) => AsyncGenerator<T, boolean>;
  /** Yields what there is without a stream, after one that brought nothing. Its errors are ignored. */
  readonly read?: (came: () => void) => AsyncGenerator<T, unknown>;
  /** Ends it without an error. */
  readonly signal: AbortSignal;
  /** Called once per interruption; may throw to end it. */
  readonly onInterruption?: ((error: unknown) => void) | undefined;
  /** After that many failures in a row the last one is thrown; default: never. */
  readonly maxFailures?: number;
  readonly times?: Partial<Times> | undefined;
}

/**
 * Yields what streams yield, one after the other, until there is no more or the signal aborts. While too many streams are
 * open (429), or a proxy holds them back, what there is so far is read.
 *
 * @throws Problem when another attempt would be refused as well: wrong login, wrong address
 */
export async function* resumed<T>(options: Resumed<T>): AsyncGenerator<T, void> {
  const { stream, read, signal, onInterruption, maxFailures = Number.POSITIVE_INFINITY } = options;
  const times = { ...TIMES, ...options.times };
  let isTold = false;
  let failures = 0;
  let hasCome = false;
  const reset = () => {
    isTold = false;
    failures = 0;
  };
  const came = () => {
    hasCome = true;
    reset();
  };
  for (; !signal.aborted; failures += 1) {
    const startedAt = performance.now();
    hasCome = false;
    let error: unknown = null;
    try {
      if (yield* stream(came)) return;
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    if (error === null || performance.now() - startedAt >= times.stableMs) reset();
    const problem = error instanceof Problem ? error : null;
    if ((problem && !problem.isPassing) || failures >= maxFailures) throw error;
    if (error !== null && !isTold) onInterruption?.(error);
    isTold ||= error !== null;
    if (error !== null && !hasCome && read) yield* withoutErrors(read(came));
    const isFull = problem?.status === 429;
    const fullMs = Math.min(times.fullMs, problem?.retryAfterMs ?? times.fullMs);
    await pause(isFull ? fullMs : backOffMs(failures, times), signal);
  }
}

async function* withoutErrors<T>(rows: AsyncGenerator<T, unknown>): AsyncGenerator<T, void> {
  try {
    yield* rows;
  } catch {
    // The stream that is tried next says why.
  }
}

/** Returns the pause after so many failures: exponential with jitter, so that clients do not reconnect all at once. */
export function backOffMs(failures: number, { minPauseMs, maxPauseMs }: BackOff): number {
  const limit = backOff(failures + 1, { first: minPauseMs, most: maxPauseMs });
  return minPauseMs + Math.random() * (limit - minPauseMs);
}

/** Resolves after the time, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
