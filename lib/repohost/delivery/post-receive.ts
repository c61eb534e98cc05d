import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { watchParents } from '../../process/parent-watch.ts';
import { escaped } from '../../terminal/printable.ts';
import { gitCommand } from '../git/git.ts';
import { LIFELINE_VARIABLE } from '../git/smart-http.ts';
import { findRunning } from '../running.ts';
import { folders } from '../store/folders.ts';
import type { DeliveryContext } from './deliver.ts';
import { followAll } from './follow.ts';
import { pendingDeliveriesIn } from './pending-deliveries.ts';
import { notDone, type PushedRefs, sendPushed, storePush } from './pushed.ts';

// The program behind every repository's post-receive hook (https://git-scm.com/docs/githooks#post-receive), for what
// the host has not taken from the hook itself: its one argument is the data folder, it runs in the bare repository, and
// git shows its output to the user who pushes.
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
  const push = { folder: process.cwd(), pusher: process.env.REMOTE_USER || null };
  const refs = await storePush(context, push, readFileSync(0, 'utf8'));
  const running = await findRunning(place.running);
  if (running === null) return sayNotRunning(refs);
  const open = await sendPushed(context, running, { refs, say });
  if (open.length === 0 || asksNotToWait()) return;
  endWithConnection(() => process.exit(0));
  await followAll(place.follower, running, { open, print: say, signal: new AbortController().signal });
}

function sayNotRunning(refs: PushedRefs): void {
  const kept = ' The push is kept and is deployed when it starts next (npm start).';
  say(`the deploy service is not running.${refs.kept === null ? '' : kept}`);
  if (refs.others.length > 0) say(notDone(refs, 'kept'));
}

/** Whether the push says `-o nowait`. */
function asksNotToWait(): boolean {
  const count = Number(process.env.GIT_PUSH_OPTION_COUNT ?? 0);
  return Array.from({ length: count }, (_, place) => process.env[`GIT_PUSH_OPTION_${place}`]).includes('nowait');
}

/** Over HTTP git does not tell its hook that the client has gone; the host does, through a file descriptor. */
function endWithConnection(end: () => void): void {
  process.stdout.on('error', end);
  watchParents(end);
  const fd = Number(process.env[LIFELINE_VARIABLE] ?? 0);
  if (!(fd > 2)) return;
  new Socket({ fd }).on('error', end).on('close', end).resume().unref();
}

/** Escapes untrusted text, such as names of branches. */
function say(text: string): void {
  process.stdout.write(`${escaped(text)}\n`);
}
