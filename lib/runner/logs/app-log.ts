import type { Readable } from 'node:stream';
import type { PrintedLine } from '../../../functions/core/ports/processes.ts';
import type { OutputName } from '../../builder/process/lines.ts';
import { LineBudget, leftOutNote, readLimitedLines } from './limited-lines.ts';
import { rotatingFile } from './rotating-file.ts';

/** Where the lines of one process go. */
export interface ProcessLog {
  /**
   * Reads an output of the application to its end and calls `seen` with each line. When the file is slower than the
   * application, the application waits, as it would for a terminal. Of an output without a pause, lines are left out.
   */
  capture(stream: Readable, name: OutputName, seen: (line: string) => void): void;
  /** Adds a line of the platform: serves, crashed, stopped. */
  note(line: string): void;
}

/** The output of one application, its last lines in memory, more in a file. As a log of a process it is that of `web`. */
export interface AppLog extends ProcessLog {
  /** Returns the log of another process, whose name its lines carry. */
  of(process: string): ProcessLog;
  /** Returns the last lines that `isWanted`, oldest first; default: of all. */
  tail(lines: number, isWanted?: (line: PrintedLine) => boolean): Promise<readonly PrintedLine[]>;
  /** Returns the last lines that one process has printed itself since this runner began; `undefined` is `web`. */
  printed(lines: number, process: string | undefined): readonly string[];
  /** Calls the listener with every new line until the returned function is called. */
  follow(listener: (line: PrintedLine) => void): () => void;
  /** Resolves when everything so far is in the file. */
  flush(): Promise<void>;
}

const KEPT_LINES = 1_000;
const KEPT_CHARACTERS = 1024 * 1024;
/** When more than this waits to be written, reading of the application's output pauses. */
const MOST_WAITING_CHARACTERS = 1024 * 1024;

/** Opens an application's log at `path`, which never has more than `limitBytes`; the part before it is `<path>.1`. */
export function appLog(path: string, limitBytes: number): AppLog {
  const file = rotatingFile(path, limitBytes);
  const recent = new RecentLines();
  const budget = new LineBudget();
  const listeners = new Set<(line: PrintedLine) => void>();
  const began = new Date().toISOString();
  let loaded: Promise<void> | undefined;

  const add = (stream: PrintedLine['stream'], text: string, process?: string) => {
    const line = { at: new Date().toISOString(), stream, ...(process !== undefined && { process }), line: text };
    recent.add(line);
    for (const listener of listeners) listener(line);
    file.append(written(line));
  };
  const load = async () => recent.prepend(await file.lastLines(KEPT_LINES));
  const of = (process?: string): ProcessLog => ({
    capture: (stream, name, seen) =>
      readLimitedLines(
        stream,
        {
          line: (text) => {
            add(name, text, process);
            seen(text);
            if (file.waiting <= MOST_WAITING_CHARACTERS || stream.isPaused()) return;
            stream.pause();
            file.flushed().then(() => stream.resume());
          },
          leftOut: (lines) => add('platform', leftOutNote(lines), process),
        },
        budget,
      ),
    note: (line) => add('platform', line, process),
  });
  const tail: AppLog['tail'] = async (count, isWanted = () => true) => {
    // Lines from before this runner began; not at its start, since most logs are never asked for.
    loaded ??= load();
    await loaded;
    return count === 0 ? [] : recent.lines.filter(isWanted).slice(-count);
  };
  return {
    ...of(),
    of,
    tail,
    printed: (count, process) => {
      const isOwn = ({ at, stream, process: name }: PrintedLine) =>
        at >= began && stream !== 'platform' && name === process;
      return recent.lines
        .filter(isOwn)
        .slice(-count)
        .map(({ line }) => line);
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    flush: file.flushed,
  };
}

/** The last lines, oldest first: a thousand, and a million characters at most. */
class RecentLines {
  lines: PrintedLine[] = [];
  #characters = 0;

  add(line: PrintedLine): void {
    this.lines.push(line);
    this.#characters += line.line.length;
    while (this.lines.length > KEPT_LINES || this.#characters > KEPT_CHARACTERS) {
      this.#characters -= this.lines.shift()?.line.length ?? 0;
    }
  }

  /** Puts the last lines of the file before those in memory, which may be in the file by now. */
  prepend(inFile: readonly string[]): void {
    const later = this.lines;
    const own = new Set(later.map(written));
    this.lines = [];
    this.#characters = 0;
    for (const line of [...inFile.filter((text) => !own.has(text)).map(readWritten), ...later]) this.add(line);
  }
}

/** Returns the line as it stands in the file: time, stream with the process after a slash, text. */
function written({ at, stream, process, line }: PrintedLine): string {
  return `${at} ${stream}${process === undefined ? '' : `/${process}`} ${line}`;
}

/** Reads a line of the file. */
export function readWritten(text: string): PrintedLine {
  const [, at = '', name, process, line = ''] =
    /^(\S*) (stdout|stderr|platform)(?:\/([\w@.-]+))? (.*)$/s.exec(text) ?? [];
  const stream = name === 'stderr' || name === 'platform' ? name : 'stdout';
  return { at, stream, ...(process !== undefined && { process }), line };
}
