import { readFileSync } from 'node:fs';
import { escaped } from '../../processes/printable.ts';
import { shellQuote } from '../../processes/shell-quote.ts';
import { settleDefaultBranch } from '../git/default-branch.ts';
import { gitCommand } from '../git/git.ts';
import { findRunning, type RunningHost } from '../running.ts';
import { folders } from '../store/folders.ts';
import { type DeliveryContext, deliver, outcomeLines } from './deliver.ts';
import { followAll, type OpenDelivery } from './follow.ts';
import { pendingDeliveriesIn, type RefMove } from './pending-deliveries.ts';
import { isZero } from './push-payload.ts';
import { areFew, notDone, type PushedRefs, sortRefs } from './pushed-refs.ts';
import { readRecord } from './record.ts';

// The program behind every repository's post-receive hook (https://git-scm.com/docs/githooks#post-receive): its one
// argument is the data folder, it runs in the bare repository, and git shows its output to the user who pushes.
await main(process.argv[2] ?? '').catch((error: unknown) => {
  say(`the deploy could not be requested: ${error instanceof Error ? error.message : 'the hook failed'}`);
});

async function main(dataDir: string): Promise<void> {
  const place = folders(dataDir);
  const context: DeliveryContext = {
    git: gitCommand(),
    folders: place,
    pending: pendingDeliveriesIn(place.deliveries),
  };
  const { owner, name } = readRecord(process.cwd());
  const pusher = process.env.REMOTE_USER || owner;
  const moved = moves(readFileSync(0, 'utf8')).map((move) => ({ ...move, owner, name, pusher }));
  const branch = await settleDefaultBranch({ git: context.git, folder: process.cwd() }, branchesOf(moved));
  // Stored before it is sent: if this process is killed, the host sends it at its next start.
  await sendAll(context, sortRefs(moved, branch, context.pending));
}

async function sendAll(context: DeliveryContext, refs: PushedRefs): Promise<void> {
  const { kept, others } = refs;
  const { running: file, follower } = context.folders;
  const running = await findRunning(file);
  if (running === null) return sayNotRunning(refs);
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
  sayHowToChange(running, refs);
  await followAll(follower, running, { open, print: say });
}

function sayNotRunning(refs: PushedRefs): void {
  const kept = ' The push is kept and is deployed when it starts next (npm start).';
  say(`the deploy service is not running.${refs.kept === null ? '' : kept}`);
  if (refs.others.length > 0) say(notDone(refs, 'kept'));
}

/** A webhook whose address names a branch deploys no other one. */
function sayHowToChange({ webhook }: RunningHost, { deployed, kept, others }: PushedRefs): void {
  const [branch] = branchesOf(others);
  if (deployed === null || kept !== null || branch === undefined) return;
  if (!webhook.url.includes('{default_branch}')) return;
  say(`${deployed} is the default branch of this repository. To make it ${branch}, for the next push:`);
  say(`  git -C ${shellQuote(process.cwd())} symbolic-ref HEAD ${shellQuote(`refs/heads/${branch}`)}`);
}

function branchesOf(moved: readonly RefMove[]): string[] {
  const made = moved.filter(({ ref, after }) => ref.startsWith('refs/heads/') && !isZero(after));
  return made.map(({ ref }) => ref.slice('refs/heads/'.length));
}

function moves(lines: string): { before: string; after: string; ref: string }[] {
  return lines.split('\n').flatMap((line) => {
    const [before, after, ref] = line.split(' ');
    return before && after && ref ? [{ before, after, ref }] : [];
  });
}

/** Others choose the names of branches. */
function say(text: string): void {
  process.stdout.write(`${escaped(text)}\n`);
}
