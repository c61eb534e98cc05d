import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { escaped } from '../../terminal/printable.ts';
import type { RunningHost } from '../running.ts';
import type { DeliveryContext } from './deliver.ts';
import { followAll } from './follow.ts';
import { type Push, sendPushed, storePush } from './pushed.ts';

/** The host's end of the hook of a push over HTTP. */
export interface HookChannel {
  readonly channel: Socket;
  /** The client has gone, or has got everything. */
  readonly gone: AbortSignal;
}

/** The pushes over HTTP, whose hooks leave the work to the host. */
export interface AttendedPushes {
  /** Takes what the hook of a push reports, delivers it, and lets the user who pushes see what becomes of it. */
  attend(push: Push, hook: HookChannel): void;
  /** Resolves when no delivery is being sent any more. */
  settled(): Promise<void>;
}

/** Lines for a client that does not read them are left out from here on. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Returns what attends the pushes. `running` returns the host as it runs now. */
export function attendedPushes(context: DeliveryContext, running: () => RunningHost): AttendedPushes {
  const attending = new Set<Promise<void>>();
  return {
    attend(push, hook) {
      const done = attend(push, hook, { context, running })
        // Without an answer the hook's program starts over, and says what is wrong.
        .catch(() => {})
        .finally(() => {
          hook.channel.destroySoon();
          attending.delete(done);
        });
      attending.add(done);
    },
    settled: async () => {
      await Promise.all(attending);
    },
  };
}

async function attend(
  push: Push,
  { channel, gone }: HookChannel,
  { context, running }: { readonly context: DeliveryContext; readonly running: () => RunningHost },
): Promise<void> {
  const report = await readReport(channel, gone);
  if (report === null) return;
  const refs = await storePush(context, push, report.moved);
  // Sent even if the client has gone: otherwise the hook would store a second delivery.
  channel.write(`${TAKEN}\n`);
  // Names of branches are untrusted.
  const say = (text: string) => {
    if (channel.writableLength < MAX_UNREAD_BYTES) channel.write(`${escaped(text)}\n`);
  };
  const open = await sendPushed(context, running(), { refs, say });
  if (!report.waits || gone.aborted) return;
  const following = followAll(context.folders.follower, running(), { open, print: say, signal: gone });
  await Promise.race([following, new Promise((end) => gone.addEventListener('abort', end, { once: true }))]);
}

/** The line with which the hook says that the push has the option `nowait`. */
export const NO_WAIT = 'nowait';
/** The line with which the host answers a report when its delivery is stored. */
export const TAKEN = 'taken';

/** The report of a push's hook to the host: the refs that have moved, and whether the push waits for the deploy. */
interface HookReport {
  /** The lines that git gives a post-receive hook. */
  readonly moved: string;
  readonly waits: boolean;
}

/** The forty thousand refs of a large mirror; the hook does without the host what is larger. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Returns what the hook at the other end of a channel reports, up to an empty line. Null when the channel ends, the
 * client goes, or the limit is exceeded before that: the hook has to do it then, because nothing was answered.
 */
function readReport(channel: Duplex, gone: AbortSignal): Promise<HookReport | null> {
  return new Promise((resolve) => {
    let text = '';
    channel.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n\n')) resolve(reportIn(text));
      else if (text.length > MAX_CHARACTERS) resolve(null);
    });
    channel.once('close', () => resolve(null));
    if (gone.aborted) resolve(null);
    gone.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function reportIn(text: string): HookReport {
  const lines = text.trimEnd().split('\n');
  const moved = lines.filter((line) => line !== NO_WAIT);
  return { moved: moved.join('\n'), waits: moved.length === lines.length };
}
