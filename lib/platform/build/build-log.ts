import { EventEmitter, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { PrintedLine } from '../../../functions/api/shapes/log.ts';
import { shownLines } from '../../builder/process/lines.ts';
import type { CommandLog } from '../../builder/process/run-command.ts';
import { MISSING, unless } from '../../files/errors.ts';
import { LineBudget, leftOutNote, readLimitedLines } from '../../runner/logs/limited-lines.ts';

interface BuildLogLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** The output of one build while it runs. Each line is the JSON of a `PrintedLine`, as an application's log has them. */
export interface BuildLog extends CommandLog {
  /** Returns the last lines as text, at most 200. */
  tail(): readonly string[];
  /** Yields the kept lines in batches, with `follow` new ones too until the build has ended, or the signal aborts. */
  read(follow: boolean, signal: AbortSignal): AsyncIterable<readonly PrintedLine[]>;
  /** Resolves when everything is in the file. */
  end(): Promise<void>;
}

const buildLogLimits: BuildLogLimits = { lines: 20_000, bytes: 4 * 1024 * 1024 };

const StoredLine = v.pipe(v.string(), v.parseJson(), PrintedLine);

const TAIL_LINES = 200;
/** Lines that are read at once. */
const BATCH_LINES = 500;

interface BuildLogOptions {
  readonly limits?: BuildLogLimits;
  /** The lines with which the log begins: those of the build that this one continues. */
  readonly earlier?: readonly string[];
}

/**
 * Opens the log of a build as the file `path`; `shown` makes a line fit to be shown (no secrets, no absolute paths, cut).
 */
export function buildLog(
  path: string,
  shown: (line: string) => string,
  { limits = buildLogLimits, earlier = [] }: BuildLogOptions = {},
): BuildLog {
  const file = createWriteStream(path);
  // On a full disk the build goes on without its log.
  file.on('error', () => undefined);
  const events = new EventEmitter().setMaxListeners(0);
  const kept: string[] = [];
  const tail: string[] = [];
  const budget = new LineBudget();
  let bytes = 0;
  let left = 0;
  let ended = false;

  const write = (json: string) => {
    kept.push(json);
    bytes += json.length + 1;
    file.write(`${json}\n`);
    events.emit('more');
  };
  const keep = (stream: PrintedLine['stream'], line: string) => {
    const entry: PrintedLine = { at: new Date().toISOString(), stream, line };
    write(JSON.stringify(entry));
  };
  for (const json of earlier) write(json);
  const add = (stream: PrintedLine['stream'], text: string) => {
    const line = shown(text);
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    if (kept.length < limits.lines && bytes < limits.bytes) keep(stream, line);
    else left += 1;
  };
  return {
    note: (line) => add('platform', line),
    capture: (stream, name, seen) => {
      const line = shownLines((text) => {
        add(name, text);
        seen(text);
      });
      readLimitedLines(stream, { line, leftOut: (lines) => add('platform', leftOutNote(lines)) }, budget);
    },
    tail: () => tail,
    async *read(follow, signal) {
      for (let at = 0; !signal.aborted; ) {
        const some = kept.slice(at, at + BATCH_LINES);
        at += some.length;
        if (some.length > 0) yield linesIn(some);
        else if (!follow || ended) return;
        // An abort ends the loop.
        else await once(events, 'more', { signal }).catch(() => undefined);
      }
    },
    end: async () => {
      // The last lines say why a build failed, so they follow the gap.
      if (left > 0) keep('platform', `${left} lines are not kept; the last ones follow.`);
      if (left > 0) for (const line of tail.slice(-Math.min(left, TAIL_LINES))) keep('stdout', line);
      ended = true;
      events.emit('more');
      // A write that failed has closed it.
      if (file.closed) return;
      await new Promise<void>((resolve) => {
        file.once('close', resolve).once('error', () => resolve());
        file.end();
      });
    },
  };
}

/** Returns the lines of the stored log of a build, without one that a kill has cut off; none when there is no log. */
export async function keptLines(path: string): Promise<readonly string[]> {
  const text = (await unless(MISSING, readFile(path, 'utf8'))) ?? '';
  return text.split('\n').slice(0, -1);
}

/** Returns the last lines of the stored log of a build as text, as `BuildLog.tail` does. */
export async function storedTail(path: string): Promise<string[]> {
  return linesIn((await keptLines(path)).slice(-TAIL_LINES)).map(({ line }) => line);
}

/** Yields the stored log of a build that has ended in batches; none when there is no log. */
export async function* storedLines(path: string): AsyncGenerator<readonly PrintedLine[]> {
  const all = await keptLines(path);
  for (let at = 0; at < all.length; at += BATCH_LINES) yield linesIn(all.slice(at, at + BATCH_LINES));
}

function linesIn(kept: readonly string[]): PrintedLine[] {
  return kept.flatMap((json) => {
    const { success, output } = v.safeParse(StoredLine, json);
    return success ? [output] : [];
  });
}
