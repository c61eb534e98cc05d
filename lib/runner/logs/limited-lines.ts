import type { Readable } from 'node:stream';
import { LineSplitter } from '../../builder/process/lines.ts';

/** A line counts as one, and as one more for each of these bytes. */
const UNIT_BYTES = 1024;
/** What may come at once, in these units, and how much of it more in each second. */
const BURST = 5_000;
const PER_SECOND = 1_000;
/** After a gap as many lines follow each other at least, so that not every second line says that there was one. */
const AFTER_GAP = 500;
/** An output that has more waits that long after each chunk, for each one that has, so that reading costs little. */
const PAUSE_MS = 5;
/** A gap ends when nothing was printed for that long. */
const QUIET_MS = 500;
/** The last lines before the end, or before it is quiet, say what came of it: as many are kept of what is left out. */
const LAST_BYTES = 16 * 1024;
const LAST_LINES = 100;
const LINE_FEED = 0x0a;

interface LineReader {
  readonly line: (text: string) => void;
  /** Called in place of lines that were left out, with their number: `leftOutNote` says it. */
  readonly leftOut: (lines: number) => void;
}

/** How many lines the outputs of one application, or of one build, may print together: it may have many processes. */
export class LineBudget {
  /** What may be read now, in units. */
  left = BURST;
  /** The outputs that print more. */
  flooding = 0;
  #filledAt: number;

  constructor(private readonly now = () => performance.now()) {
    this.#filledAt = now();
  }

  fill(): void {
    const now = this.now();
    this.left = Math.min(BURST, this.left + ((now - this.#filledAt) / 1000) * PER_SECOND);
    this.#filledAt = now;
  }
}

/**
 * Reads the lines of a stream to its end, as `readLines` does, but no more than the thread has time for that serves the requests of
 * others: up to 5,000 lines at once, and then 1,000 in a second (of a kilobyte each). Others are counted, but for the last
 * hundred before the end, or before nothing more is printed.
 */
export function readLimitedLines(stream: Readable, reader: LineReader, budget: LineBudget): void {
  const lines = new LimitedLines(reader, budget);
  let quiet: NodeJS.Timeout | undefined;
  stream.on('data', (chunk: Buffer) => {
    clearTimeout(quiet);
    if (lines.push(chunk)) return;
    stream.pause();
    setTimeout(() => stream.resume(), PAUSE_MS * budget.flooding);
    quiet = setTimeout(() => lines.endGap(), QUIET_MS);
  });
  const end = () => {
    clearTimeout(quiet);
    lines.end();
  };
  stream.on('close', end).on('error', () => undefined);
}

/** What is said in place of lines that were left out. */
export function leftOutNote(lines: number): string {
  return `${lines} lines were left out: it printed more than can be kept.`;
}

class LimitedLines {
  readonly #splitter: LineSplitter;
  #isGap = false;
  #dropped = 0;
  /** The end of what was dropped. */
  #last = Buffer.alloc(0);
  /** Whether that begins in the middle of a line. */
  #isCut = false;
  /** Whether what was read ends with a line. */
  #isWhole = true;

  constructor(
    private readonly reader: LineReader,
    private readonly budget: LineBudget,
  ) {
    this.#splitter = new LineSplitter(reader.line);
  }

  /** Returns false when lines were left out: the next chunk may wait. */
  push(chunk: Buffer): boolean {
    this.budget.fill();
    const rest = this.#isGap ? this.#afterGap(chunk) : chunk;
    const end = this.#affordable(rest);
    if (end > 0) {
      this.#splitter.push(rest.subarray(0, end));
      this.#isWhole = rest[end - 1] === LINE_FEED;
    }
    if (end === rest.length) return !this.#isGap;
    this.#splitter.end();
    if (!this.#isGap) this.#isCut = !this.#isWhole;
    this.#setGap(true);
    this.#drop(rest.subarray(end));
    return false;
  }

  /** Ends a gap with the last lines of what was left out. */
  endGap(): void {
    if (!this.#isGap) return;
    const lines = this.#last.toString('utf8').split('\n');
    const last = lines.slice(this.#isCut ? 1 : 0).slice(-LAST_LINES - 1);
    this.#countGap(last.length - 1);
    this.#splitter.push(Buffer.from(last.join('\n')));
    this.#isWhole = (last.at(-1) ?? '') === '';
  }

  end(): void {
    this.endGap();
    this.#splitter.end();
  }

  #setGap(isGap: boolean): void {
    if (isGap !== this.#isGap) this.budget.flooding += isGap ? 1 : -1;
    this.#isGap = isGap;
  }

  /** Returns what of a chunk is not of the gap: what follows its first line end, when there may be lines again. */
  #afterGap(chunk: Buffer): Buffer {
    const end = this.budget.left < AFTER_GAP ? -1 : chunk.indexOf(LINE_FEED);
    const from = end === -1 ? chunk.length : end + 1;
    this.#drop(chunk.subarray(0, from));
    if (end !== -1) {
      this.#countGap(0);
      this.#isWhole = true;
    }
    return chunk.subarray(from);
  }

  /** Returns how many bytes of a chunk may be read, up to the end of a line or the chunk, and counts them. */
  #affordable(chunk: Buffer): number {
    let from = 0;
    while (from < chunk.length && this.budget.left > 0) {
      const at = chunk.indexOf(LINE_FEED, from);
      const end = at === -1 ? chunk.length : at + 1;
      this.budget.left -= 1 + (end - from) / UNIT_BYTES;
      from = end;
    }
    return from;
  }

  #drop(chunk: Buffer): void {
    // By number: an iterator takes ten times as long, and this is what a flood costs.
    for (let at = 0; at < chunk.length; at += 1) if (chunk[at] === LINE_FEED) this.#dropped += 1;
    const last = Buffer.concat([this.#last, chunk.subarray(-LAST_BYTES)]);
    this.#isCut ||= chunk.length > LAST_BYTES || last.length > LAST_BYTES;
    this.#last = last.subarray(-LAST_BYTES);
  }

  /** Says how many lines are left out, when that many are read after all. */
  #countGap(read: number): void {
    const left = this.#dropped - Math.max(read, 0);
    this.#setGap(false);
    this.#dropped = 0;
    this.#last = Buffer.alloc(0);
    if (left > 0) this.reader.leftOut(left);
  }
}
