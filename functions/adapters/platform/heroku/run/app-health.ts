import type { AppHealth } from '../../../../core/ports/apps/app-health.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import type { Item } from '../../in-table/table.ts';
import { recordChange } from '../../provider/changes.ts';
import { withoutValues } from '../../without-values.ts';
import type { HerokuParts } from '../parts.ts';
import { herokuCalls } from './calls.ts';
import { readConfig } from './config.ts';
import { lastLogLines } from './log-session.ts';
import { reasonOf } from './start-failure.ts';

const CODE = 'request:failed';
/** Applications that are looked at in a run, each with a call: a seventh of the 75 calls that a minute brings. */
const PER_RUN = 10;
const MAX_LOG_LINES = 100;
/** What was printed before is of an earlier crash. */
const RECENT_MS = 10 * 60_000;

/** An application that runs, or did before it crashed. */
interface Served {
  readonly app: AppRef;
  readonly run: string;
  readonly snapshot: string;
  readonly state: string | undefined;
}

/**
 * Returns what finds applications that crash: in each run the dynos of those are asked for that were looked at longest
 * ago. Heroku tells nobody of an instance that ended.
 */
export function herokuAppHealth(parts: HerokuParts): AppHealth {
  return {
    ended: async () => {},
    recheck: () =>
      onAws(CODE, 'the state of the applications', async () => {
        const started = await parts.table.list(keys.started);
        const due = started.toSorted((one, other) => Number(one.asked ?? 0) - Number(other.asked ?? 0));
        for (const item of due.slice(0, PER_RUN)) await look(item, parts);
      }),
  };
}

async function look({ user = '', app = '' }: Item, parts: HerokuParts): Promise<void> {
  const ref = { user, app };
  await parts.table.write(keys.startedApp(ref), { asked: String(parts.clock.now()) }, { exists: true });
  const { run, snapshot, state } = (await parts.table.read(keys.app(ref))) ?? {};
  if (run === undefined || snapshot === undefined || state === 'stopped') return;
  const dynos = await herokuCalls(run, parts).webDynos();
  const served = { app: ref, run, snapshot, state };
  const hasCrashed = dynos.length > 0 && dynos.every((dyno) => dyno.state === 'crashed');
  if (hasCrashed && state === 'running') await crashed(served, parts);
  const answers = dynos.some((dyno) => dyno.state === 'up' || dyno.state === 'idle');
  if (answers && state === 'crashed') await change(served, { state: 'running', reason: null, log: [] }, parts);
}

async function crashed(served: Served, parts: HerokuParts): Promise<void> {
  const since = parts.clock.now() - RECENT_MS;
  const lines = (await lastLogLines(served.run, parts)).filter(({ at }) => Date.parse(at) >= since);
  const own = lines.filter(({ source }) => source.startsWith('app[') && source !== 'app[api]').map(({ line }) => line);
  const why = reasonOf('crashed', lines, own).replace(/\.$/, '');
  const sentence = `The application crashed and does not start again: ${why}.`;
  const variables = await readConfig(served.run, { code: CODE, parts });
  const [reason = '', ...log] = withoutValues([sentence, ...own.slice(-MAX_LOG_LINES)], variables);
  await change(served, { state: 'crashed', reason, log }, parts);
}

/** Only while the snapshot that was looked at still runs: a deploy may have replaced it. */
async function change(
  { app, snapshot }: Served,
  to: Parameters<typeof recordChange>[1],
  parts: HerokuParts,
): Promise<void> {
  const same = { attribute: 'snapshot', is: snapshot };
  if (await parts.table.write(keys.app(app), { state: to.state }, same)) {
    await recordChange({ ...app, snapshot }, to, parts);
  }
}
