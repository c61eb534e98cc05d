import type { PrintedLine } from '../../functions/api/shapes/log.ts';
import { backOffMs, pause } from './back-off.ts';
import { type ApiRequest, type Client, Problem } from './client.ts';
import { fieldsOf, parsedJson } from './lines.ts';

/** A line that an application, a build, or (`platform`) the platform about it, has printed. */
export type OutputLine = PrintedLine;
/** The line with which the service ends a stream. */
interface Ending {
  readonly code: string;
}

/** The time limit of a stream, after which it is taken up again. */
export const TIME_LIMIT = 'status:changes:timeout';

/** Parses a line of a stream; null for a heartbeat, and for what is no line. */
export function readLine(text: string): OutputLine | Ending | null {
  const value = parsedJson(text);
  const { at, stream, line, code } = fieldsOf(value);
  if (typeof at === 'string' && typeof stream === 'string' && typeof line === 'string') return value as OutputLine;
  return typeof code === 'string' ? { code } : null;
}

/** Yields the lines of an output, and returns the code with which the service has ended it; null at its own end. */
export async function* outputLines(lines: AsyncIterable<string>): AsyncGenerator<OutputLine, string | null> {
  let code: string | null = null;
  for await (const text of lines) {
    const read = readLine(text);
    if (read && 'code' in read) code = read.code;
    else if (read) yield read;
  }
  return code;
}

/** Tells which lines of a stream are new, when a stream is taken up again: several lines may have the same time. */
export class Seen {
  /** The number of lines that were new. */
  total = 0;
  #at = '';
  #count = 0;
  #toSkip = 0;

  isNew({ at }: Pick<OutputLine, 'at'>): boolean {
    if (at < this.#at) return false;
    if (at === this.#at && this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    this.#count = at === this.#at ? this.#count + 1 : 1;
    this.#at = at;
    this.total += 1;
    return true;
  }

  /** The stream begins again, with lines that were seen. */
  again(): void {
    this.#toSkip = this.#count;
  }
}

/** Yields the new lines of a stream. Returns the code with which the service ended it, an error, or null at its end. */
async function* streamed(lines: AsyncIterable<string>, seen: Seen): AsyncGenerator<OutputLine, string | Error | null> {
  try {
    const read = outputLines(lines);
    let next = await read.next();
    for (; !next.done; next = await read.next()) if (seen.isNew(next.value)) yield next.value;
    return next.value;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export interface FollowedOutput {
  readonly request: Pick<ApiRequest, 'path' | 'query'>;
  /** The number of last lines to begin with; absent for an output that is always sent from its beginning. */
  readonly lines?: number;
  /** Lines to ask for when the stream is taken up again. */
  readonly resumeLines?: number;
  /** Ends it without an error. */
  readonly signal: AbortSignal;
  /** The lines that were seen before, when it is followed anew. */
  readonly seen?: Seen;
  /** Called once per interruption; may throw to end it. */
  readonly onInterruption?: (error: unknown) => void;
}

const PAUSES = { minPauseMs: 500, maxPauseMs: 15_000 };
/** Others may give a place back long before the service knows that one is free. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Yields the lines of an output until it has ended or the signal aborts. A stream that the service or the network ends
 * is taken up again, without a line twice. While too many streams are open, what there is so far is read now and then.
 *
 * @throws Problem when another attempt would be refused as well
 */
export async function* followOutput(
  client: Pick<Client, 'lines'>,
  { request, lines, resumeLines, signal, seen = new Seen(), onInterruption = () => {} }: FollowedOutput,
): AsyncGenerator<OutputLine, void> {
  let wanted = lines;
  let follow = true;
  let failures = 0;
  let isTold = false;
  let waitMs = 0;
  while (!signal.aborted) {
    const before = seen.total;
    const outcome: string | Error | null = yield* streamed(
      client.lines({ ...request, query: { ...request.query, lines: wanted, follow: follow || undefined }, signal }),
      seen,
    );
    if (signal.aborted || (outcome === null && follow)) return;
    if (seen.total > before) [failures, isTold] = [0, false];
    const isFull: boolean = outcome instanceof Problem && outcome.status === 429;
    let pauseMs = outcome === null || outcome === TIME_LIMIT ? 0 : backOffMs(failures, PAUSES);
    if (outcome !== null && typeof outcome !== 'string') {
      if (outcome instanceof Problem && !outcome.isPassing) throw outcome;
      if (!isTold) onInterruption(outcome);
      isTold = true;
      if (outcome instanceof Problem) waitMs = Math.min(LONGEST_WAIT_MS, outcome.retryAfterMs ?? LONGEST_WAIT_MS);
    }
    // A place for a stream is asked for again after a read without one.
    if (!follow || isFull) pauseMs = follow ? 0 : waitMs;
    follow = !(isFull && follow);
    failures += 1;
    seen.again();
    wanted = resumeLines ?? lines;
    if (pauseMs > 0) await pause(pauseMs, signal);
  }
}
