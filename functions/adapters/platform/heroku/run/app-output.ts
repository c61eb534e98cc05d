import type { AppOutput, OutputLine, OutputQuery } from '../../../../core/ports/apps/app-output.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import type { Item } from '../../in-table/table.ts';
import { notesIn } from '../../provider/notes.ts';
import type { HerokuParts } from '../parts.ts';
import { type LogLine, lastLogLines, openLog, readLog } from './log-session.ts';

const CODE = 'request:failed';
const NOTES_PAUSE_MS = 2_000;

/** Returns the output of applications: Heroku's log of the app, and what the service has noted about it. */
export function herokuAppOutput(parts: HerokuParts): AppOutput {
  return {
    read: (app, query, signal) =>
      onAws(CODE, `the output of ${app.app}`, async () => {
        const item = await parts.table.read(keys.app(app));
        return item?.run === undefined ? null : output({ app, item, run: item.run }, query, { parts, signal });
      }),
  };
}

interface Source {
  readonly app: AppRef;
  readonly item: Item;
  readonly run: string;
}

interface Reading {
  readonly parts: HerokuParts;
  readonly signal: AbortSignal;
}

async function* output(
  source: Source,
  { lines, follow }: OutputQuery,
  reading: Reading,
): AsyncGenerator<readonly OutputLine[]> {
  const logged = lines > 0 ? (await lastLogLines(source.run, reading.parts)).flatMap(outputLine) : [];
  const last = lines > 0 ? [...logged, ...notesIn(source.item)].sort(byTime).slice(-lines) : [];
  if (last.length > 0) yield last;
  if (follow) yield* followed(source, logged.at(-1)?.at, reading);
}

/** The lines of the log and the notes come from two places, so each waits for its own. */
async function* followed(
  { app, item, run }: Source,
  lastAt: string | undefined,
  { parts, signal }: Reading,
): AsyncGenerator<readonly OutputLine[]> {
  const session = await openLog(run, true, parts);
  const since = Date.parse(lastAt ?? session.at);
  const log = readLog(session, signal, parts);
  const nextLines = async () => {
    const { done, value } = await log.next();
    const arrived: readonly LogLine[] = value ?? [];
    const fresh = arrived.filter(({ at }) => Date.parse(at) > since).flatMap(outputLine);
    return { lines: fresh, ended: done === true, from: 'log' as const };
  };
  let known = notesIn(item).at(-1)?.at ?? '';
  const nextNotes = async () => {
    await parts.clock.sleep(NOTES_PAUSE_MS, signal);
    const notes = notesIn((await parts.table.read(keys.app(app))) ?? {}).filter(({ at }) => at > known);
    known = notes.at(-1)?.at ?? known;
    return { lines: notes, ended: false, from: 'notes' as const };
  };
  let [fromLog, fromNotes] = [nextLines(), nextNotes()];
  // What is left waiting at the end must not be an unhandled rejection.
  const forget = () => [fromLog, fromNotes].map((one) => one.catch(() => undefined));
  try {
    while (!signal.aborted) {
      const next = await Promise.race([fromLog, fromNotes]);
      if (next.lines.length > 0) yield next.lines;
      if (next.ended) return;
      if (next.from === 'log') fromLog = nextLines();
      else fromNotes = nextNotes();
    }
  } finally {
    forget();
  }
}

/** The router's line for each request would hide what the application prints. */
function outputLine({ at, source, line }: LogLine): OutputLine[] {
  if (source === 'heroku[router]') return [];
  const isOwn = source.startsWith('app[') && source !== 'app[api]';
  return [{ at, stream: isOwn ? 'stdout' : 'platform', line }];
}

function byTime(one: OutputLine, other: OutputLine): number {
  return Date.parse(one.at) - Date.parse(other.at);
}
