import type { PrintedLine } from '../../functions/api/shapes/log.ts';
import { jsonIn } from '../../functions/core/json-value.ts';
import type { ApiRequest, Client } from './client.ts';
import { fieldsOf } from './lines.ts';
import { resumed } from './resume.ts';

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
  const value = jsonIn(text);
  const { at, stream, line, code } = fieldsOf(value);
  if (typeof at === 'string' && typeof stream === 'string' && typeof line === 'string') return value as OutputLine;
  return typeof code === 'string' ? { code } : null;
}

/**
 * Yields the lines of an output that are wanted, and returns the code with which the service has ended it; null at its own
 * end.
 */
export async function* outputLines(
  lines: AsyncIterable<string>,
  isWanted: (line: OutputLine) => boolean = () => true,
): AsyncGenerator<OutputLine, string | null> {
  let code: string | null = null;
  for await (const text of lines) {
    const read = readLine(text);
    if (read && 'code' in read) code = read.code;
    else if (read && isWanted(read)) yield read;
  }
  return code;
}

/** Tells which lines of a stream are new, when a stream is taken up again: several lines may have the same time. */
export class Seen {
  /** The number of lines that were new. */
  total = 0;
  #first: string | undefined;
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
    this.#first ??= at;
    this.#toSkip = 0;
    this.total += 1;
    return true;
  }

  /**
   * The stream begins again, with lines that were seen. One that began with the last `tail` lines may have begun between
   * some of one time.
   */
  again(tail = Infinity): void {
    this.#toSkip = this.total >= tail && this.#at === this.#first ? Infinity : this.#count;
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

const TIMES = { maxPauseMs: 15_000, fullMs: 10_000 };

/**
 * Yields the lines of an output until it has ended or the signal aborts. A stream that the service or the network ends
 * is taken up again, without a line twice. While too many streams are open, what there is so far is read now and then.
 *
 * @throws Problem when another attempt would be refused as well
 */
export function followOutput(
  client: Pick<Client, 'lines'>,
  { request, lines, resumeLines = lines, signal, seen = new Seen(), onInterruption }: FollowedOutput,
): AsyncGenerator<OutputLine, void> {
  let begins = true;
  const news = async function* (follow: true | undefined, came: () => void) {
    // When it began with no lines, nothing tells the old ones before a line was seen.
    const isResumed = !begins && (lines !== 0 || seen.total > 0);
    const query = { ...request.query, lines: isResumed ? resumeLines : lines, follow };
    begins = false;
    seen.again(lines || Infinity);
    const isNew = (line: OutputLine) => {
      const isFirst = seen.isNew(line);
      if (isFirst) came();
      return isFirst;
    };
    const code = yield* outputLines(client.lines({ ...request, query, signal }), isNew);
    if (code === null || code === TIME_LIMIT) return code === null;
    throw new Error(`it ended the output with ${code}`);
  };
  return resumed({
    stream: (came) => news(true, came),
    read: (came) => news(undefined, came),
    signal,
    onInterruption,
    times: TIMES,
  });
}

/** Yields the output of the build of an entry, as `followOutput` does. */
export function followBuild(client: Client, id: string, signal: AbortSignal): AsyncGenerator<OutputLine, void> {
  return followOutput(client, { request: { path: ['status', client.user, 'changes', id, 'build-log'] }, signal });
}
