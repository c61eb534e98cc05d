import { appendFileSync, renameSync, statSync } from 'node:fs';

/** Options of a log file. */
export interface LogFileOptions {
  readonly path: string;
  /** A file of this size becomes `<path>.1`, in the place of the last one, so that both hold at most twice as much. */
  readonly maxBytes?: number;
  /** Called with a sentence when the log cannot be written: once until it can be written again. */
  readonly warn: (sentence: string) => void;
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Returns a function that appends a record with its time to a log, as a line of JSON. It never throws: a program that
 * works must not end because its log cannot be written, for instance on a full disk. The file is readable by its owner.
 */
export function logFile({ path, maxBytes = DEFAULT_MAX_BYTES, warn }: LogFileOptions): (record: object) => void {
  let bytes = sizeOf(path);
  let lost = 0;
  const append = (record: object, before = '') => {
    const line = `${before}${JSON.stringify({ at: new Date().toISOString(), ...record })}\n`;
    if (bytes > 0 && bytes + line.length > maxBytes) {
      renameSync(path, `${path}.1`);
      bytes = 0;
    }
    appendFileSync(path, line, { mode: 0o600 });
    bytes += Buffer.byteLength(line);
  };
  return (record) => {
    try {
      // The last write may have stopped in the middle of a line.
      if (lost > 0) append({ warning: `${lost} records before this one could not be written.` }, '\n');
      lost = 0;
      append(record);
    } catch (error) {
      if (lost === 0) warn(`The log ${path} cannot be written (${reasonOf(error)}); the service goes on without it.`);
      lost += 1;
    }
  };
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
