import type { Clock } from '../../../core/ports/clock.ts';
import { oneLine } from '../../../core/text.ts';
import { withoutValues } from '../without-values.ts';
import type { Failure } from './build-failure.ts';

const MAX_LOG_LINES = 100;
const MAX_REASON_LENGTH = 400;
const LOG_TRIES = 4;
const LOG_PAUSE_MS = 1_000;

/** The reason of a failed start when nothing more is known, or when it cannot be shown. */
export const DID_NOT_START = 'The application did not start.';

/** A log that is read until a line that is looked for has arrived. */
interface AwaitedLog<Line> {
  readonly read: () => Promise<readonly Line[]>;
  /** RFC 3339; earlier lines belong to an earlier start. */
  readonly since: string;
  readonly isComplete: (lines: readonly Line[]) => boolean;
}

/** Returns the lines of a log since a start. It is read several times, because lines reach it some seconds late. */
export async function linesSince<Line extends { readonly at: string }>(
  { read, since, isComplete }: AwaitedLog<Line>,
  clock: Pick<Clock, 'sleep'>,
): Promise<readonly Line[]> {
  for (let tries = 1; ; tries += 1) {
    const all = await read().catch((): readonly Line[] => []);
    const lines = all.filter(({ at }) => Date.parse(at) >= Date.parse(since));
    if (isComplete(lines) || tries === LOG_TRIES) return lines;
    await clock.sleep(LOG_PAUSE_MS);
  }
}

/**
 * Returns a failed start as it may be shown: one line of reason and the last lines, without the values of the
 * application's variables. When the variables cannot be read, neither reason nor lines are shown.
 */
export async function shownFailure(
  { reason, log }: Failure,
  readVariables: () => Promise<Readonly<Record<string, string>>>,
): Promise<Failure> {
  const variables = await readVariables().catch(() => null);
  if (!variables) return { reason: DID_NOT_START, log: [] };
  const line = oneLine(reason, MAX_REASON_LENGTH) ?? DID_NOT_START;
  const [first = '', ...lines] = withoutValues([line, ...log.slice(-MAX_LOG_LINES)], variables);
  return { reason: first, log: lines };
}
