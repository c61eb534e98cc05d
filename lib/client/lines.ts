import { linesIn } from '../../functions/core/lines.ts';

/** How long an answer is waited for, and what ends the wait. */
interface Alive {
  /** A connection without a byte for that long is dead. */
  readonly silenceMs: number;
  readonly signals: readonly (AbortSignal | undefined)[];
}

/**
 * Returns the result of the work, unless it takes longer than `silenceMs` or a signal aborts. The time runs only while
 * something is awaited: a caller that is slow with a line has not lost the connection.
 */
export async function alive<T>(work: Promise<T>, { silenceMs, signals }: Alive): Promise<T> {
  const settled = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came for ${silenceMs / 1000} s`)), silenceMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer));
    for (const signal of signals) {
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: settled.signal });
      if (signal?.aborted) reject(signal.reason);
    }
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    settled.abort();
  }
}

/** Yields the lines of a body as they arrive, without a last one that was cut off. Leaving the loop ends the connection. */
export function linesOf(body: ReadableStream<Uint8Array>, options: Alive): AsyncGenerator<string, void> {
  return linesIn(piecesOf(body, options));
}

async function* piecesOf(body: ReadableStream<Uint8Array>, options: Alive): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await alive(reader.read(), options);
      if (done) return;
      yield value;
    }
  } finally {
    // Cancelled explicitly, so that the end of the stream does not depend on how a signal reaches it.
    reader.cancel().catch(() => {});
  }
}

/** The answer has another form than that of this version of the API. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  constructor() {
    super('The service answered with something unknown: is it of another version?');
  }
}

/** Returns the list in a field of an answer. Throws `Unreadable` when there is none. */
export function listIn(answer: unknown, field: string): readonly unknown[] {
  const list = fieldsOf(answer)[field];
  if (Array.isArray(list)) return list;
  throw new Unreadable();
}

/** Returns a value as an object whose fields may be looked at. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
