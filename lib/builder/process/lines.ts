import type { Readable } from 'node:stream';

const LONGEST_LINE_BYTES = 64 * 1024;
const CUT = ' … (the rest of this line is left out: a line has at most 64 KiB)';
const LINE_FEED = 0x0a;

/** The output of a process that a line comes from. */
export type OutputName = 'stdout' | 'stderr';

/**
 * Calls `line` with each line of a stream until its end, as text without its line end. The rest of a line of more than
 * 64 KiB is dropped, and the line says so. Not readline, which collects a line of any length: one of 512 MB throws in
 * its listener and ends the process.
 */
export function readLines(stream: Readable, line: (text: string) => void): void {
  const splitter = new LineSplitter(line);
  stream.on('data', (chunk: Buffer) => splitter.push(chunk));
  // A stream that is destroyed closes without an end.
  stream.on('close', () => splitter.end()).on('error', () => undefined);
}

/** Makes lines of chunks, as `readLines` calls with them. */
export class LineSplitter {
  readonly #line: (text: string) => void;
  /** The beginning of a line whose end has not arrived. */
  #held: Buffer | undefined;
  #heldBytes = 0;
  #dropping = false;

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      this.#hold(chunk, from, at);
      this.#finish();
      from = at + 1;
    }
    this.#hold(chunk, from, chunk.length);
  }

  /** Must be called after the last chunk, or before a gap; a second call does nothing. */
  end(): void {
    if (this.#heldBytes > 0) this.#finish();
    this.#dropping = false;
  }

  #hold(chunk: Buffer, from: number, to: number): void {
    if (this.#dropping || from === to) return;
    this.#held ??= Buffer.allocUnsafe(LONGEST_LINE_BYTES);
    const copied = chunk.copy(this.#held, this.#heldBytes, from, to);
    this.#heldBytes += copied;
    if (copied === to - from) return;
    // Now, and not at its end: a program may never end its line.
    this.#line(this.#text().replace(/\ufffd$/, '') + CUT);
    this.#heldBytes = 0;
    this.#dropping = true;
  }

  #finish(): void {
    if (!this.#dropping) this.#line(this.#text());
    this.#heldBytes = 0;
    this.#dropping = false;
  }

  #text(): string {
    const isCrLf = this.#held?.[this.#heldBytes - 1] === 0x0d && this.#heldBytes > 0;
    return this.#held?.toString('utf8', 0, this.#heldBytes - (isCrLf ? 1 : 0)) ?? '';
  }
}

const OWN_LOG = /^npm (?:error|ERR!) (?:A complete log of this run|\s+\S+-debug(?:-\d+)?\.log$)/;

/** Calls `line` with each line that a command of a build prints, as `shownLines` has them. */
export function readBuildLines(stream: Readable, line: (text: string) => void): void {
  readLines(stream, shownLines(line));
}

/**
 * Returns a function for the lines that a command of a build prints, which calls `line` with what is shown of them: the last state
 * of a progress bar, and npm's refusal of its arguments or lockfile without the manual that it prints below, of sixty lines. The
 * path of npm's own log, on this machine, is left out.
 */
export function shownLines(line: (text: string) => void): (text: string) => void {
  let refused = false;
  let inManual = false;
  return (text) => {
    const shown = lastState(text);
    refused ||= /^npm (?:error|ERR!) code EUSAGE$/.test(shown);
    if (refused && /^npm (?:error|ERR!) (?:Clean install a project|Usage:)$/.test(shown)) inManual = true;
    if (!/^npm (?:error|ERR!)/.test(shown)) inManual = false;
    if (!inManual && !OWN_LOG.test(shown)) line(shown);
  };
}

/** Returns what is left of a line that a progress bar has written over. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  const text = line.slice(0, end);
  return text.slice(text.lastIndexOf('\r') + 1);
}
