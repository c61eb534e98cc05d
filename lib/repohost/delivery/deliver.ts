import { existsSync } from 'node:fs';
import { OperatorError } from '../../processes/operator-error.ts';
import type { Git } from '../git/git.ts';
import type { RunningHost } from '../running.ts';
import type { Folders } from '../store/folders.ts';
import type { Journal, OwedDelivery } from './journal.ts';
import { pushPayload } from './push-payload.ts';
import { readRecord } from './record.ts';
import { type Outcome, sendPush } from './send.ts';

/** What sending a delivery needs. */
export interface Deliverer {
  readonly git: Git;
  readonly folders: Folders;
  readonly journal: Journal;
}

/** Sends one owed delivery; it is off the journal when the service has answered it for good. Never throws. */
export async function deliver(by: Deliverer, running: RunningHost, owed: OwedDelivery): Promise<Outcome> {
  const outcome = await attempt(by, running, owed);
  if (outcome.kind === 'taken' || outcome.kind === 'refused') by.journal.remove(owed);
  return outcome;
}

async function attempt({ git, folders }: Deliverer, running: RunningHost, owed: OwedDelivery): Promise<Outcome> {
  const folder = folders.ofRepository(owed);
  if (!existsSync(folder)) return { kind: 'refused', why: `was not called: ${owed.owner}/${owed.name} is gone` };
  try {
    const context = { git, folder, url: running.url, private: readRecord(folder).private };
    return await sendPush(running.webhook, owed, await pushPayload(context, owed));
  } catch (error) {
    const why = `was not called: ${error instanceof Error ? error.message : 'the push cannot be read'}`;
    // Git can be installed again; a repository that cannot be read will not mend by itself.
    return { kind: error instanceof OperatorError ? 'away' : 'refused', why };
  }
}

/** What became of a delivery, in lines for whoever pushed. */
export function sentence(owed: OwedDelivery, outcome: Outcome): string {
  const ref = owed.ref.replace(/^refs\/(?:heads|tags)\//, '');
  const what = /^0+$/.test(owed.after) ? `${ref} (deleted)` : `${ref} (${owed.after.slice(0, 7)})`;
  if (outcome.kind === 'taken') {
    const reason = outcome.reason === null ? '' : `: ${outcome.reason}`;
    return `deploy ${what} ${outcome.status}${reason}${outcome.entry === null ? '' : `\n  ${outcome.entry}`}`;
  }
  const fate = {
    refused: 'It will not be sent again.',
    locked: 'The push is kept; its deploy is asked for again when the service starts next.',
    away: 'The push is kept; its deploy is asked for again as soon as the service answers.',
  };
  return `deploy ${what} failed: the service ${outcome.why}. ${fate[outcome.kind]}`;
}
