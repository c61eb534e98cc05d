import type { PrintedLine } from '../../../functions/core/ports/processes.ts';
import type { LogQuery } from '../calls.ts';
import type { AppLog } from './app-log.ts';

/** The reading ends when more than that waits for a reader. */
const MOST_WAITING_CHARACTERS = 4 * 1024 * 1024;

/** Yields the last lines of a log, and new ones until the signal aborts. Throws when its reader does not keep up. */
export async function* logLines(
  log: AppLog,
  { lines, process, follow }: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly PrintedLine[], void> {
  const isWanted = wantedLines(process);
  let waiting: PrintedLine[] = [];
  let characters = 0;
  let wake = () => {};
  const last = await log.tail(lines, isWanted);
  // No line is lost in between: no output is read in this turn.
  const unfollow = log.follow((line) => {
    if (!isWanted(line)) return;
    waiting.push(line);
    characters += line.line.length;
    wake();
  });
  const end = () => wake();
  signal.addEventListener('abort', end);
  try {
    yield last;
    while (follow && !signal.aborted) {
      if (characters > MOST_WAITING_CHARACTERS) throw new Error('The log is not read fast enough.');
      const next = waiting;
      [waiting, characters] = [[], 0];
      if (next.length > 0) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', end);
    unfollow();
  }
}

/** Returns what tells the lines of a process (`worker.2`), or of all of a type (`worker`); of none in particular, all. */
export function wantedLines(process: string | undefined): (line: PrintedLine) => boolean {
  if (process === undefined) return () => true;
  return (line) => {
    const name = line.process ?? 'web.1';
    return name === process || name.replace(/\.\d+$/, '') === process;
  };
}
