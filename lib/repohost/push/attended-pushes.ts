import type { Socket } from 'node:net';
import { background } from '../../../functions/core/concurrency.ts';
import { escaped } from '../../terminal/printable.ts';
import { NO_WAIT, type PushContext, reasonOf, recordPush } from './pushed.ts';
import type { Accepted, Receiver, Watching } from './receiver.ts';
import { readReport, TAKEN } from './report.ts';

/** The host's end of the hook of a push. */
export interface HookChannel {
  readonly channel: Socket;
  /** The client has gone, or has got everything. */
  readonly gone: AbortSignal;
}

/** The repository of a push over HTTP, and who pushes; a push into the folder says where it is, and is the owner's. */
interface Pushing {
  readonly folder?: string;
  readonly pusher: string | null;
  /** The name of the API token. */
  readonly token?: string | undefined;
}

/** The pushes, whose hooks leave the work to the host. */
export interface AttendedPushes {
  /** Takes what the hook of a push reports, records it, and lets the user who pushes see what becomes of it. */
  attend(push: Pushing, hook: HookChannel): void;
  /** Resolves when no push is being recorded any more. */
  settled(): Promise<void>;
}

/** Lines for a client that does not read them are left out from here on. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export function attendedPushes(context: PushContext, log: (line: string) => void): AttendedPushes {
  // The comparison finds what was not recorded.
  const attending = background((error) => log(`A push is not recorded: ${reasonOf(error)}.`));
  return {
    attend: (push, hook) => attending.add(attend(push, hook, context).finally(() => hook.channel.destroySoon())),
    settled: attending.ended,
  };
}

async function attend(push: Pushing, { channel, gone }: HookChannel, context: PushContext): Promise<void> {
  const report = await readReport(channel);
  const folder = push.folder ?? report?.folder;
  if (report === null || !folder) return;
  // Recorded even if the client has gone.
  const { said, open } = await recordPush(context, { ...report, folder, pusher: push.pusher, token: push.token }).catch(
    (error: unknown) => {
      const why = escaped(reasonOf(error).replaceAll(`${context.folders.root}/`, ''));
      channel.write(`${TAKEN}\nThe push is kept, and is deployed as soon as it can be recorded: ${why}.\n`);
      throw error;
    },
  );
  channel.write(`${TAKEN}\n`);
  // Names of branches are untrusted.
  const print = (text: string) => {
    if (channel.writableLength < MAX_UNREAD_BYTES) channel.write(`${escaped(text)}\n`);
  };
  for (const line of said) print(line);
  if (report.options.includes(NO_WAIT) || gone.aborted) return;
  const following = followAll(context.receiver, open, { print, signal: gone });
  await Promise.race([following, new Promise((end) => gone.addEventListener('abort', end, { once: true }))]);
}

/** Follows deploys, one after the other. */
async function followAll(receiver: Receiver, open: readonly Accepted[], watching: Watching): Promise<void> {
  try {
    for (const accepted of open) if (!watching.signal.aborted) await receiver.follow(accepted, watching);
  } catch (error) {
    watching.print(`The deploy goes on, but cannot be shown here: ${reasonOf(error)}`);
  }
}
