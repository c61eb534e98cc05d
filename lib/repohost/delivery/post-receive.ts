import { readFileSync } from 'node:fs';
import { type Git, gitCommand } from '../git/git.ts';
import { findRunning } from '../running.ts';
import { folders } from '../store/folders.ts';
import { type Deliverer, deliver, sentence } from './deliver.ts';
import { journalIn, type OwedDelivery } from './journal.ts';
import { isZero } from './push-payload.ts';
import { readRecord } from './record.ts';

// The program behind every repository's post-receive hook (https://git-scm.com/docs/githooks#post-receive): its one
// argument is the data folder, it runs in the bare repository, and what it prints is shown to whoever pushes.
await main(process.argv[2] ?? '').catch((error: unknown) => {
  say(`the deploy could not be asked for: ${error instanceof Error ? error.message : 'the hook failed'}`);
});

async function main(dataDir: string): Promise<void> {
  const place = folders(dataDir);
  const by: Deliverer = { git: gitCommand(), folders: place, journal: journalIn(place.deliveries) };
  const { owner, name } = readRecord(process.cwd());
  const pusher = process.env.REMOTE_USER || owner;
  // All of it is written down first: what is killed from here on is sent at the host's next start.
  const owed = moves(readFileSync(0, 'utf8')).map((move) => by.journal.add({ ...move, owner, name, pusher }));
  await adoptHead(by.git, owed);
  await sendAll(by, owed);
}

async function sendAll(by: Deliverer, owed: readonly OwedDelivery[]): Promise<void> {
  const running = findRunning(by.folders.running);
  if (running === null) {
    return say('the deploy service is not running. The push is kept and is deployed when it starts next (npm start).');
  }
  for (const [index, one] of owed.entries()) {
    const outcome = await deliver(by, running, one);
    say(sentence(one, outcome));
    // Where one got no answer, the others would each wait as long for none.
    const left = owed.length - index - 1;
    if (outcome.kind !== 'away' && outcome.kind !== 'locked') continue;
    if (left > 0) say(`${left} more refs of this push wait with it.`);
    return;
  }
}

function moves(lines: string): { before: string; after: string; ref: string }[] {
  return lines.split('\n').flatMap((line) => {
    const [before, after, ref] = line.split(' ');
    return before && after && ref ? [{ before, after, ref }] : [];
  });
}

/** The first branch of an empty repository becomes its default branch, as on GitHub, so that it can be cloned. */
async function adoptHead(git: Git, owed: readonly OwedDelivery[]): Promise<void> {
  const branches = owed.filter(({ ref, after }) => ref.startsWith('refs/heads/') && !isZero(after));
  const [first] = branches;
  if (!first || (await git.ask(['rev-parse', '--verify', '--quiet', 'HEAD'])) !== null) return;
  await git.ask(['symbolic-ref', 'HEAD', first.ref]);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
