import { setTimeout } from 'node:timers/promises';
import { type Entry, hasEnded } from '../../client/entry.ts';
import type { Call } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { logPage } from '../service/entry.ts';
import { findEntry } from '../service/find-entry.ts';
import { followEntry, report } from './follow-entry.ts';

const POLL_MS = 500;
/** Hosts deliver within seconds; what has not come by then will not come. */
const MAX_WAIT_MS = 5 * 60 * 1000;

/** Follows one deploy to its end. Returns 0 when it is live, else 1. */
export async function exitStatus(call: Call, client: Api): Promise<number> {
  return report(call, await followEntry(call, client, await chosen(call, client)));
}

async function chosen(call: Call, client: Api): Promise<Entry> {
  const { args, warn, stderr } = call;
  const [name, commit] = [args.text('entry'), args.text('commit')];
  if (name !== undefined && commit !== undefined)
    throw new UsageError('Only one of --entry and --commit can be given.');
  if (name !== undefined) return findEntry(client, name);
  const app = args.app();
  if (commit === undefined) return newest(client, app);
  if (!/^[0-9a-f]{7,64}$/.test(commit)) throw new UsageError('--commit takes the id of a commit: 7 to 40 hex digits.');
  if (stderr.isTTY) warn(`Waiting for a deploy of ${commit.slice(0, 8)} …`);
  return ofCommit(client, commit, call.signal);
}

/** The deploy in progress that is the newest; else the newest of all. */
async function newest(client: Api, app: string | undefined): Promise<Entry> {
  const { rows } = await logPage(client, { app });
  const entry = rows.find((row) => !hasEnded(row)) ?? rows[0];
  if (entry) return entry;
  throw new Failure('No call has reached the service yet: there is no deploy to follow.');
}

/** Waits for the call of the repository host, which may come after the push has ended. */
async function ofCommit(client: Api, sha: string, signal: AbortSignal): Promise<Entry> {
  const end = performance.now() + MAX_WAIT_MS;
  while (performance.now() < end) {
    const { rows } = await logPage(client);
    const entry = rows.find(({ commit }) => commit?.slice(commit.lastIndexOf('/') + 1).startsWith(sha));
    if (entry) return entry;
    await setTimeout(POLL_MS, undefined, { signal });
  }
  throw new Failure(`No call about ${sha} has come within five minutes: did the host's webhook call the service?`);
}
