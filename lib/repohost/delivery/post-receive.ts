import { readFileSync } from 'node:fs';
import { shellQuote } from '../../processes/shell-quote.ts';
import { defaultBranch, settleDefaultBranch } from '../git/default-branch.ts';
import { type Git, gitCommand } from '../git/git.ts';
import { findRunning, type RunningHost } from '../running.ts';
import { folders } from '../store/folders.ts';
import { type DeliveryContext, deliver, outcomeLines } from './deliver.ts';
import { followAll, type OpenDelivery } from './follow.ts';
import { type PendingDelivery, pendingDeliveriesIn } from './pending-deliveries.ts';
import { isZero } from './push-payload.ts';
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
  // Everything is stored first: if this process is killed, the host sends the rest at its next start.
  const deliveries = moves(readFileSync(0, 'utf8')).map((move) =>
    context.pending.add({ ...move, owner, name, pusher }),
  );
  await settleDefaultBranch({ git: context.git, folder: process.cwd() }, branchesOf(deliveries));
  await sendAll(context, deliveries);
}

async function sendAll(context: DeliveryContext, deliveries: readonly PendingDelivery[]): Promise<void> {
  const { running: file, follower } = context.folders;
  const running = await findRunning(file);
  if (running === null) {
    return say('the deploy service is not running. The push is kept and is deployed when it starts next (npm start).');
  }
  const open: OpenDelivery[] = [];
  for (const [index, delivery] of deliveries.entries()) {
    const outcome = await deliver(context, running, delivery);
    say(outcomeLines(delivery, outcome));
    if (outcome.kind === 'accepted' && outcome.isOpen && outcome.entry !== null) {
      open.push({ delivery, entry: outcome.entry });
    }
    if (outcome.kind !== 'unavailable' && outcome.kind !== 'unauthorized') continue;
    // The other refs would fail the same way, each after its own timeout.
    const left = deliveries.length - index - 1;
    if (left > 0) say(`${left} more refs of this push are kept as well.`);
    break;
  }
  await sayHowToChange(context.git, running, branchesOf(deliveries));
  await followAll(follower, running, { open, print: say });
}

/** A webhook whose address names a branch deploys no other one. */
async function sayHowToChange(git: Git, { webhook }: RunningHost, pushed: readonly string[]): Promise<void> {
  const folder = process.cwd();
  const [branch] = pushed;
  const known = await defaultBranch({ git, folder });
  if (known === null || branch === undefined || pushed.includes(known)) return;
  if (!webhook.url.includes('{default_branch}')) return;
  say(`${known} is the default branch of this repository. To make it ${branch}, for the next push:`);
  say(`  git -C ${shellQuote(folder)} symbolic-ref HEAD refs/heads/${branch}`);
}

function branchesOf(deliveries: readonly PendingDelivery[]): string[] {
  const made = deliveries.filter(({ ref, after }) => ref.startsWith('refs/heads/') && !isZero(after));
  return made.map(({ ref }) => ref.slice('refs/heads/'.length));
}

function moves(lines: string): { before: string; after: string; ref: string }[] {
  return lines.split('\n').flatMap((line) => {
    const [before, after, ref] = line.split(' ');
    return before && after && ref ? [{ before, after, ref }] : [];
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
