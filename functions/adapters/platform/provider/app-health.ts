import type { AppHealth } from '../../../core/ports/apps/app-health.ts';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { onAws } from '../../aws/failures.ts';
import { keys } from '../in-table/keys.ts';
import type { Item } from '../in-table/table.ts';
import { withoutValues } from '../without-values.ts';
import { recordChange } from './app-change.ts';
import type { ProviderParts } from './parts.ts';

const CODE = 'request:failed';
/** Applications that are checked in a run: each takes a call or two, and providers limit the number of calls. */
const PER_RUN = 10;
const MAX_LOG_LINES = 100;
/** Older lines belong to an earlier crash. */
const RECENT_MS = 10 * 60_000;

/** The calls of a provider that tell the state of an app, by its id. */
export interface AppProbe {
  /** Returns the state of its instances; null when it is neither. */
  look(run: string): Promise<'answers' | 'crashed' | null>;
  /** Returns why it crashed, in one sentence, and its output since a time in milliseconds. */
  explain(run: string, since: number): Promise<{ readonly why: string; readonly lines: readonly string[] }>;
  variables(run: string): Promise<Readonly<Record<string, string>>>;
}

type HealthParts = Pick<ProviderParts, 'table' | 'clock'> & { readonly probe: AppProbe };

/** An application that runs, or did before it crashed. */
interface Served {
  readonly app: AppRef;
  readonly run: string;
  readonly snapshot: string;
}

/**
 * Returns the detection of crashes: each run checks the applications that were checked least recently, because a
 * provider sends no event when an instance ends.
 */
export function providerAppHealth(
  { table, clock }: Pick<ProviderParts, 'table' | 'clock'>,
  probe: AppProbe,
): AppHealth {
  return {
    ended: async () => {},
    recheck: () =>
      onAws(CODE, 'the state of the applications', async () => {
        const started = await table.list(keys.started);
        const due = started.toSorted((one, other) => Number(one.asked ?? 0) - Number(other.asked ?? 0));
        for (const item of due.slice(0, PER_RUN)) await look(item, { table, clock, probe });
      }),
  };
}

async function look({ user = '', app = '' }: Item, parts: HealthParts): Promise<void> {
  const ref = { user, app };
  await parts.table.write(keys.startedApp(ref), { asked: String(parts.clock.now()) }, { exists: true });
  const { run, snapshot, state } = (await parts.table.read(keys.app(ref))) ?? {};
  if (run === undefined || snapshot === undefined || state === 'stopped') return;
  const seen = await parts.probe.look(run);
  const served = { app: ref, run, snapshot };
  if (seen === 'crashed' && state === 'running') await crashed(served, parts);
  if (seen === 'answers' && state === 'crashed') {
    await change(served, { state: 'running', reason: null, log: [] }, parts);
  }
}

async function crashed(served: Served, parts: HealthParts): Promise<void> {
  const { why, lines } = await parts.probe.explain(served.run, parts.clock.now() - RECENT_MS);
  const sentence = `The application crashed and does not start again: ${why.replace(/\.$/, '')}.`;
  const variables = await parts.probe.variables(served.run);
  const [reason = '', ...log] = withoutValues([sentence, ...lines.slice(-MAX_LOG_LINES)], variables);
  await change(served, { state: 'crashed', reason, log }, parts);
}

/**
 * Records a change only while the checked snapshot still runs: a deploy may have replaced it. The event is written
 * first: after an interrupted run the next one finds the application unchanged and repeats the event, which does no
 * harm.
 */
async function change(
  { app, snapshot }: Served,
  to: Parameters<typeof recordChange>[1],
  parts: HealthParts,
): Promise<void> {
  if ((await parts.table.read(keys.app(app)))?.snapshot !== snapshot) return;
  await recordChange({ ...app, snapshot }, to, parts);
  await parts.table.write(keys.app(app), { state: to.state }, { attribute: 'snapshot', is: snapshot });
}
