import { existsSync } from 'node:fs';
import { OperatorError } from '../../files/errors.ts';
import type { Git } from '../git/git.ts';
import { defaultBranch } from '../git/revisions.ts';
import type { RunningHost } from '../running.ts';
import { type Folders, readRecord } from '../store/folders.ts';
import type { PendingDeliveries, PendingDelivery } from './pending-deliveries.ts';
import { pushPayload } from './push-payload.ts';
import { type Outcome, sendPush, webhookCall } from './send.ts';

export interface DeliveryContext {
  readonly git: Git;
  readonly folders: Folders;
  readonly pending: PendingDeliveries;
}

/** Sends a pending delivery and removes it when the answer is final. Never throws. */
export async function deliver(
  context: DeliveryContext,
  running: RunningHost,
  delivery: PendingDelivery,
): Promise<Outcome> {
  const outcome = await attempt(context, running, delivery);
  if (outcome.kind === 'accepted' || outcome.kind === 'rejected') context.pending.remove(delivery);
  return outcome;
}

async function attempt(
  { git, folders }: DeliveryContext,
  running: RunningHost,
  delivery: PendingDelivery,
): Promise<Outcome> {
  const folder = folders.ofRepository(delivery);
  if (!existsSync(folder))
    return { kind: 'rejected', why: `was not called: ${delivery.owner}/${delivery.name} does not exist any more` };
  try {
    const branch = (await defaultBranch({ git, folder })) ?? 'master';
    const { private: isPrivate } = readRecord(folder);
    const context = { git, folder, url: running.url, private: isPrivate, defaultBranch: branch };
    const call = webhookCall(running.webhook, { owner: delivery.owner, defaultBranch: branch });
    return await sendPush(call, delivery, await pushPayload(context, delivery));
  } catch (error) {
    const why = `was not called: ${error instanceof Error ? error.message : 'the push cannot be read'}`;
    // Git can be installed later; a repository that cannot be read stays unreadable.
    return { kind: error instanceof OperatorError ? 'unavailable' : 'rejected', why };
  }
}

/** Returns the outcome of a delivery, stored or not, in lines for the terminal of the user who pushed. */
export function outcomeLines(
  delivery: PendingDelivery,
  outcome: Outcome,
  { isKept }: { readonly isKept: boolean },
): string {
  const ref = delivery.ref.replace(/^refs\/(?:heads|tags)\//, '');
  const what = /^0+$/.test(delivery.after) ? `${ref} (deleted)` : `${ref} (${delivery.after.slice(0, 7)})`;
  if (outcome.kind === 'accepted') {
    const reason = outcome.reason === null ? '' : `: ${outcome.reason}`;
    const address = outcome.page ?? outcome.entry;
    return `deploy ${what} ${outcome.status}${reason}${address === null ? '' : `\n  ${address}`}`;
  }
  const consequence = {
    rejected: 'It will not be sent again.',
    unauthorized: 'The push is kept, and the request is sent again at the next start of the service.',
    unavailable: 'The push is kept, and the request is sent again until the service answers.',
  };
  return `deploy ${what} failed: the service ${outcome.why}. ${consequence[isKept ? outcome.kind : 'rejected']}`;
}
