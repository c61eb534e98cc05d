import { appendFileSync, renameSync, statSync } from 'node:fs';

interface LogFileOptions {
  readonly path: string;
  /** Rotates to `<path>.1` at this size. */
  readonly maxBytes?: number;
  /** Called with a sentence when the log cannot be written: once until it can be written again. */
  readonly warn: (sentence: string) => void;
}

interface LogFile {
  (record: object): void;
  /** Flushes pending lines. Lines are also flushed in the background and at the end of the process. */
  flush(): void;
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** Records wait so long for others: each write opens and closes the file. A kill loses them. */
const WAIT_MS = 150;
const MOST_WAITING = 64 * 1024;

/**
 * Returns a function that appends a record with its time to a log, as a line of JSON. It never throws: a program that
 * works must not end because its log cannot be written, for instance on a full disk. The file is readable by its owner.
 */
export function logFile({ path, maxBytes = DEFAULT_MAX_BYTES, warn }: LogFileOptions): LogFile {
  let bytes = sizeOf(path);
  let lost = 0;
  let waiting: string[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const append = (text: string) => {
    if (bytes > 0 && bytes + text.length > maxBytes) {
      renameSync(path, `${path}.1`);
      bytes = 0;
    }
    appendFileSync(path, text, { mode: 0o600 });
    bytes += Buffer.byteLength(text);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = [];
    size = 0;
    if (lines.length === 0) return;
    try {
      // The last write may have stopped in the middle of a line.
      const before =
        lost > 0 ? `\n${lineOf({ warning: `${lost} records before this one could not be written.` })}` : '';
      append(before + lines.join(''));
      lost = 0;
    } catch (error) {
      if (lost === 0) warn(`The log ${path} cannot be written (${reasonOf(error)}); the service goes on without it.`);
      lost += lines.length;
    }
  };
  process.once('exit', flush);
  const note = (record: object) => {
    const line = lineOf(record);
    if (size + line.length > Math.min(MOST_WAITING, maxBytes / 4)) flush();
    waiting.push(line);
    size += line.length;
    timer ??= setTimeout(flush, WAIT_MS).unref();
  };
  return Object.assign(note, { flush });
}

function lineOf(record: object): string {
  return `${JSON.stringify({ at: new Date().toISOString(), ...record })}\n`;
}

/** A path that cannot be looked at, as below a file, is told by the first write. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** The system's own words, such as `ENOSPC: no space left on device`. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+(?: '.*')?$/, '') : String(error);
}
