import { type FileHandle, open } from 'node:fs/promises';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { hasText } from '../../../functions/core/output/has-text.ts';
import type { OutputFound, OutputSearch } from '../../../functions/core/ports/applications.ts';
import type { PrintedLine } from '../../../functions/core/ports/processes.ts';
import { hasCode } from '../../files/errors.ts';
import { readWritten } from './app-log.ts';
import { wantedLines } from './log-lines.ts';

/** What is searched in one turn of the thread, which answers requests too: about half a millisecond. */
const SLICE_BYTES = 64 * 1024;
/** What one call looks at, and somewhat more. The next one goes on where it has ended. */
const MOST_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;
/** The first characters of a file, the time of its first line, tell it from others also after it was renamed. */
const ID_BYTES = 24;

/** However many search at once, one slice is read at a time. */
const oneAtATime = keyedMutex();

/** A file of a log, open. */
interface LogFile {
  readonly handle: FileHandle;
  readonly id: string;
  readonly bytes: number;
}

/** Lines of a file without those that are cut, and where they begin in it. */
interface Slice {
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * Searches the stored output of an application, the newest lines first: the file at `path`, then the one before it. Returns null
 * for a `before` that is not the `next` of a search.
 */
export async function searchLog(path: string, query: OutputSearch, signal: AbortSignal): Promise<OutputFound | null> {
  const [, id, offset] = /^(\S{24})_(\d{1,15})$/.exec(query.before ?? '') ?? [];
  if (query.before !== undefined && id === undefined) return null;
  const files = await openFiles([path, `${path}.1`]);
  try {
    const from = id === undefined ? 0 : files.findIndex((file) => file.id === id);
    // A file that is gone was the last one.
    const left = from < 0 ? [] : files.slice(from);
    return await searchFiles(left, offset === undefined ? undefined : Number(offset), { query, signal });
  } finally {
    await Promise.all(files.map(({ handle }) => handle.close()));
  }
}

interface Asked {
  readonly query: OutputSearch;
  readonly signal: AbortSignal;
}

async function searchFiles(
  files: readonly LogFile[],
  end: number | undefined,
  { query, signal }: Asked,
): Promise<OutputFound> {
  const search = new Search(query);
  let looked = 0;
  for (const [index, file] of files.entries()) {
    const last = index === 0 && end !== undefined ? Math.min(end, file.bytes) : file.bytes;
    for await (const slice of slicesBefore(file, last)) {
      const stoppedAt = search.add(slice);
      looked += slice.bytes.length;
      const at = stoppedAt ?? (looked >= MOST_BYTES || signal.aborted ? slice.at : null);
      if (at !== null) return search.result(`${file.id}_${at}`);
    }
  }
  return search.result(null);
}

/** What a search has found so far. */
class Search {
  readonly #hasText: (text: string) => boolean;
  readonly #isWanted: (line: PrintedLine) => boolean;
  readonly #lines: PrintedLine[] = [];
  #since: string | null = null;
  #until: string | null = null;

  constructor(private readonly query: OutputSearch) {
    this.#hasText = hasText(query.text);
    this.#isWanted = wantedLines(query.process);
  }

  /** Returns the offset in the file of the last line that was searched, if that was not the first one of the slice. */
  add({ bytes, at }: Slice): number | null {
    this.#until ??= timeAt(bytes, lastLineOf(bytes));
    this.#since = timeAt(bytes, 0) ?? this.#since;
    // Most slices have no such line, which is found out without making lines of them.
    if (!this.#hasText(bytes.toString('utf8'))) return null;
    for (const { text, from } of linesBackwards(bytes)) {
      const line = readWritten(text);
      if (!this.#hasText(line.line) || !this.#isWanted(line)) continue;
      this.#lines.push(line);
      if (this.#lines.length < this.query.lines) continue;
      this.#since = line.at;
      return at + from;
    }
    return null;
  }

  result(next: string | null): OutputFound {
    return { lines: this.#lines, searched: { since: this.#since, until: this.#until }, next };
  }
}

/** Opens the files of these that there are and that have something. */
async function openFiles(paths: readonly string[]): Promise<readonly LogFile[]> {
  const files: LogFile[] = [];
  for (const path of paths) {
    const handle = await open(path, 'r').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (!handle) continue;
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(ID_BYTES), 0, ID_BYTES, 0);
    const id = buffer.toString('latin1');
    // It was renamed in between, and is both.
    const isKnown = files.some((file) => file.id === id);
    if (size > 0 && !isKnown) files.push({ handle, id, bytes: size });
    else await handle.close();
  }
  return files;
}

/** Yields what is before an offset at which a line begins, from its end on. */
async function* slicesBefore({ handle }: LogFile, end: number): AsyncGenerator<Slice> {
  /** The rest of a line that begins earlier. */
  let rest: Buffer = Buffer.alloc(0);
  for (let at = end; at > 0; ) {
    const from = Math.max(0, at - SLICE_BYTES);
    const piece = await oneAtATime('slice', () => readPiece(handle, from, at - from));
    const bytes = Buffer.concat([piece, rest]);
    const begin = from === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
    if (from === 0 || begin > 0) yield { bytes: bytes.subarray(begin), at: from + begin };
    rest = begin > 0 ? bytes.subarray(0, begin) : bytes;
    at = from;
  }
}

async function readPiece(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** Yields the lines of a slice, the last one first, with the offsets at which they begin. */
function* linesBackwards(bytes: Buffer): Generator<{ readonly text: string; readonly from: number }> {
  let end = bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length;
  while (end > 0) {
    const from = bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
    yield { text: bytes.toString('utf8', from, end), from };
    end = from - 1;
  }
}

function lastLineOf(bytes: Buffer): number {
  return bytes.length < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
}

/** Returns the time at which a line begins; null for what is no line of a log. */
function timeAt(bytes: Buffer, at: number): string | null {
  const time = bytes.toString('latin1', at, at + ID_BYTES);
  return Number.isNaN(Date.parse(time)) ? null : time;
}
