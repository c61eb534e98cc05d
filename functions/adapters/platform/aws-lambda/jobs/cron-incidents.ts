import { type CronEntry, jobSubject } from '../../../../../lib/builder/start/cron.ts';
import { lastError } from '../../../../core/output/diagnosis.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { masked } from '../run/environment.ts';
import { variableSeal } from '../run/sealed-variables.ts';
import { recordIncident } from '../table/app-events.ts';
import { keys } from '../table/items.ts';

/** What fails and is fine in turns is told so often, as on one machine. */
const PAUSE_MS = 10 * 60_000;

/** How a run of an entry has ended; the lines are its last ones. */
export interface Ending {
  readonly exit: number;
  readonly detail: string;
  readonly lines: readonly string[];
}

/** Tells of the first run of an entry that fails, and of the first one that succeeds after it. */
export async function tellOfEnd(
  app: AppRef,
  entry: CronEntry,
  { exit, detail, lines }: Ending,
  parts: LambdaPlatformParts,
): Promise<void> {
  const { table, clock } = parts;
  const about = jobSubject(entry);
  const told = { ...app, about, seq: clock.now(), pauseMs: PAUSE_MS };
  if (exit === 0) {
    await recordIncident(table, { ...told, state: 'running', reason: `${about} has succeeded.`, log: [] });
  } else {
    const variables = await variableSeal(parts).open(app, (await table.read(keys.app(app)))?.variables);
    const [how = '', ...log] = masked([detail, ...lines], variables);
    const error = lastError(log, '/var/task');
    const reason = error === undefined ? `${about} ${how.replace(/\.$/, '')}.` : `${about} ${how}: ${error}`;
    await recordIncident(table, { ...told, state: 'crashed', reason, log });
  }
  // A deploy without it may have ended this before it was told.
  const { cron = [] } = (await table.read(keys.app(app))) ?? {};
  if (!cron.some((one) => jobSubject(one) === about)) await endIncidents(app, [entry], parts);
}

/** Ends the incidents of entries that an application does not have any more. */
export async function endIncidents(
  app: AppRef,
  entries: readonly CronEntry[],
  { table, clock }: Pick<LambdaPlatformParts, 'table' | 'clock'>,
): Promise<void> {
  for (const about of new Set(entries.map(jobSubject))) {
    const reason = `${about} is not there any more.`;
    await recordIncident(table, { ...app, about, seq: clock.now(), pauseMs: 0, state: 'running', reason, log: [] });
  }
}
