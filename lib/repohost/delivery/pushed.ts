import { shellQuote } from '../../process/command.ts';
import { settleDefaultBranch } from '../git/default-branch.ts';
import type { RunningHost } from '../running.ts';
import { type DeliveryContext, deliver, outcomeLines } from './deliver.ts';
import type { OpenDelivery } from './follow.ts';
import type { RefMove } from './pending-deliveries.ts';
import { isZero } from './push-payload.ts';
import { areFew, notDone, type PushedRefs, sortRefs } from './pushed-refs.ts';
import { readRecord } from './record.ts';

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
