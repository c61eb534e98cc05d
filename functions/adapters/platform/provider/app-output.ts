import type { AppOutput, OutputLine, OutputQuery } from '../../../core/ports/apps/app-output.ts';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { onAws } from '../../aws/failures.ts';
import { keys } from '../in-table/keys.ts';
import type { Item } from '../in-table/table.ts';
import { notesIn } from './app-notes.ts';
import type { ProviderParts } from './parts.ts';

const CODE = 'request:failed';
const NOTES_PAUSE_MS = 2_000;

/** The log of an app at its provider, by the id of the app. */
export interface AppLog {
  /** Returns the last lines, oldest first: `wanted` of them, or as many as the provider returns at once. */
  last(run: string, wanted: number): Promise<readonly OutputLine[]>;
  /** Opens the log for lines after that time, or from now on; earlier lines may be repeated. */
  follow(
    run: string,
    from: { readonly after: string | undefined; readonly signal: AbortSignal },
  ): Promise<{ readonly at: string; readonly batches: AsyncGenerator<readonly OutputLine[]> }>;
}

/** Returns the output of applications: the log of the app at its provider, merged with the service's notes about it. */
export function providerAppOutput(parts: Pick<ProviderParts, 'table' | 'clock'>, log: AppLog): AppOutput {
  return {
    read: (app, query, signal) =>
      onAws(CODE, `the output of ${app.app}`, async () => {
        const item = await parts.table.read(keys.app(app));
        return item?.run === undefined ? null : output({ app, item, run: item.run }, query, { ...parts, log, signal });
      }),
  };
}

interface Source {
  readonly app: AppRef;
  readonly item: Item;
  readonly run: string;
}

interface Reading extends Pick<ProviderParts, 'table' | 'clock'> {
  readonly log: AppLog;
  readonly signal: AbortSignal;
}

async function* output(
  source: Source,
  { lines, follow }: OutputQuery,
  reading: Reading,
): AsyncGenerator<readonly OutputLine[]> {
  const logged = lines > 0 ? await reading.log.last(source.run, lines) : [];
  const last = lines > 0 ? [...logged, ...notesIn(source.item)].sort(byTime).slice(-lines) : [];
  if (last.length > 0) yield last;
  if (follow) yield* followed(source, logged.at(-1)?.at, reading);
}

/** Yields new lines of the log and new notes, whichever arrive first. */
async function* followed(
  { app, item, run }: Source,
  lastAt: string | undefined,
  { table, clock, log, signal }: Reading,
): AsyncGenerator<readonly OutputLine[]> {
  const { at: openedAt, batches } = await log.follow(run, { after: lastAt, signal });
  const since = Date.parse(lastAt ?? openedAt);
  const nextLines = async () => {
    const { done, value } = await batches.next();
    const arrived: readonly OutputLine[] = value ?? [];
    const fresh = arrived.filter(({ at }) => Date.parse(at) > since);
    return { lines: fresh, ended: done === true, from: 'log' as const };
  };
  let known = notesIn(item).at(-1)?.at ?? '';
  const nextNotes = async () => {
    await clock.sleep(NOTES_PAUSE_MS, signal);
    const notes = notesIn((await table.read(keys.app(app))) ?? {}).filter(({ at }) => at > known);
    known = notes.at(-1)?.at ?? known;
    return { lines: notes, ended: false, from: 'notes' as const };
  };
  let [fromLog, fromNotes] = [nextLines(), nextNotes()];
  // The pending read of the other source must not become an unhandled rejection.
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

function byTime(one: OutputLine, other: OutputLine): number {
  return Date.parse(one.at) - Date.parse(other.at);
}
