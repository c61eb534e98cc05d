import { shellQuote } from '../../process/command.ts';
import { settleDefaultBranch } from '../git/revisions.ts';
import type { RunningHost } from '../running.ts';
import { readRecord } from '../store/folders.ts';
import { type DeliveryContext, deliver, outcomeLines } from './deliver.ts';
import type { OpenDelivery } from './follow.ts';
import { newDelivery, type PendingDeliveries, type PendingDelivery, type RefMove } from './pending-deliveries.ts';
import { isZero } from './push-payload.ts';

/** The bare repository of a push, and who has pushed; null is its owner. */
export interface Push {
  readonly folder: string;
  readonly pusher: string | null;
}

/**
 * Takes the lines that git gives a post-receive hook (https://git-scm.com/docs/githooks#post-receive), and stores the
 * delivery that they ask for. Nothing is sent yet: if this process is killed, the host sends it at its next start.
 */
export async function storePush(
  { git, pending }: DeliveryContext,
  { folder, pusher }: Push,
  lines: string,
): Promise<PushedRefs> {
  const { owner, name } = readRecord(folder);
  const moved = movesIn(lines).map((move) => ({ ...move, owner, name, pusher: pusher ?? owner }));
  return sortRefs(moved, await settleDefaultBranch({ git, folder }, branchesOf(moved)), pending);
}

/** Sends the deliveries of a push, says what the webhook has answered, and returns those that are to be followed. */
export async function sendPushed(
  context: DeliveryContext,
  running: RunningHost,
  { refs, say }: { readonly refs: PushedRefs; readonly say: (text: string) => void },
): Promise<readonly OpenDelivery[]> {
  const { kept, others } = refs;
  const sent = [...(kept === null ? [] : [kept]), ...(areFew(others) ? others : [])];
  const outcomes = await Promise.all(sent.map((delivery) => deliver(context, running, delivery)));
  const open: OpenDelivery[] = [];
  for (const [index, delivery] of sent.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) say(outcomeLines(delivery, outcome, { isKept: delivery === kept }));
    if (outcome?.kind === 'accepted' && outcome.isOpen && outcome.entry !== null) {
      open.push({ delivery, entry: outcome.entry });
    }
  }
  if (!areFew(others)) say(notDone(refs, 'sent to the service'));
  for (const line of howToChange(context, running, refs)) say(line);
  return open;
}

/** A webhook whose address names a branch deploys no other one. */
function howToChange(
  { folders }: DeliveryContext,
  { webhook }: RunningHost,
  { deployed, kept, others }: PushedRefs,
): readonly string[] {
  const [other] = others;
  const [branch] = branchesOf(others);
  if (deployed === null || kept !== null || other === undefined || branch === undefined) return [];
  if (!webhook.url.includes('{default_branch}')) return [];
  return [
    `${deployed} is the default branch of this repository. To make it ${branch}, for the next push:`,
    `  git -C ${shellQuote(folders.ofRepository(other))} symbolic-ref HEAD ${shellQuote(`refs/heads/${branch}`)}`,
  ];
}

function branchesOf(moved: readonly RefMove[]): string[] {
  const made = moved.filter(({ ref, after }) => ref.startsWith('refs/heads/') && !isZero(after));
  return made.map(({ ref }) => ref.slice('refs/heads/'.length));
}

function movesIn(lines: string): { before: string; after: string; ref: string }[] {
  return lines.split('\n').flatMap((line) => {
    const [before, after, ref] = line.split(' ');
    return before && after && ref ? [{ before, after, ref }] : [];
  });
}

export interface PushedRefs {
  /** Name of the default branch, which is what the webhook deploys. */
  readonly deployed: string | null;
  /** Its delivery, which is stored until it has a final answer; null when the push has not moved it. */
  readonly kept: PendingDelivery | null;
  /** Deliveries of refs that deploy nothing: if they are few, they are sent once, for the log. They are never stored. */
  readonly others: readonly PendingDelivery[];
}

/** Sorts the refs of a push, and stores the delivery of the one that deploys. */
function sortRefs(
  moves: readonly RefMove[],
  deployed: string | null,
  pending: Pick<PendingDeliveries, 'add'>,
): PushedRefs {
  const isDeployed = ({ ref }: RefMove) => ref === `refs/heads/${deployed}`;
  const [move] = moves.filter(isDeployed);
  const kept = move ? pending.add(move) : null;
  return { deployed, kept, others: moves.filter((one) => !isDeployed(one)).map((one) => newDelivery(one)) };
}

/** The entries that a push makes of refs that deploy nothing: a mirror's thousand tags would fill the log. */
const MAX_OTHERS = 1;

/** Whether refs that deploy nothing are sent. */
function areFew(others: readonly PendingDelivery[]): boolean {
  return others.length <= MAX_OTHERS;
}

/** Returns a sentence about the other refs, and what is not done with them: `2 branches and 998 tags … not kept`. */
export function notDone({ others, deployed }: PushedRefs, done: string): string {
  const tags = others.filter(({ ref }) => ref.startsWith('refs/tags/')).length;
  const branches = others.filter(({ ref }) => ref.startsWith('refs/heads/')).length;
  const rest = others.length - tags - branches;
  const parts = [counted(branches, 'branch', 'branches'), counted(tags, 'tag', 'tags'), counted(rest, 'ref', 'refs')];
  const verb = others.length === 1 ? 'is' : 'are';
  const why = deployed === null ? 'no branch is the default branch' : `only ${deployed} is deployed`;
  return `${parts.filter(Boolean).join(' and ')} of this push ${verb} not ${done}: ${why}.`;
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
}
