import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { watchParents } from '../../processes/parent-watch.ts';
import { LIFELINE_VARIABLE } from '../git/smart-http.ts';
import type { RunningHost } from '../running.ts';
import type { PendingDelivery } from './pending-deliveries.ts';
import { webhookCall } from './webhook-call.ts';

/** The webhook's answer to a push, and a way to send lines to the user who pushed. */
export interface FollowedDelivery {
  /** The address in the `Location` of the webhook's answer. */
  readonly entry: string;
  readonly webhook: { readonly url: string; readonly user: string; readonly secret: string };
  readonly print: (line: string) => void;
}

/** Shows the user who pushed what becomes of a delivery; resolves when there is nothing more to show. */
export type Follow = (delivery: FollowedDelivery) => Promise<void>;

/** A delivery whose outcome the webhook has not told yet. */
export interface OpenDelivery {
  readonly delivery: PendingDelivery;
  readonly entry: string;
}

/** Returns whether the push says `-o nowait` (https://git-scm.com/docs/githooks#post-receive). */
export function asksNotToWait(environment: NodeJS.ProcessEnv = process.env): boolean {
  const count = Number(environment.GIT_PUSH_OPTION_COUNT ?? 0);
  return Array.from({ length: count }, (_, place) => environment[`GIT_PUSH_OPTION_${place}`]).includes('nowait');
}

/**
 * Follows deliveries, one after the other, with the program that the host was given for it, if any. The process ends
 * when the connection of the push does; the deploy continues.
 */
export async function followAll(
  program: string,
  running: RunningHost,
  { open, print }: { readonly open: readonly OpenDelivery[]; readonly print: (line: string) => void },
): Promise<void> {
  if (open.length === 0 || asksNotToWait() || !existsSync(program)) return;
  endWithConnection(() => process.exit(0));
  try {
    const { follow }: { readonly follow: Follow } = await import(pathToFileURL(program).href);
    for (const { delivery, entry } of open) {
      const webhook = webhookCall(running.webhook, { owner: delivery.owner, defaultBranch: '' });
      await follow({ entry, webhook, print });
    }
  } catch (error) {
    print(`The deploy goes on, but cannot be shown here: ${error instanceof Error ? error.message : 'it failed'}`);
  }
}

/** Over HTTP git does not tell its hook that the client has gone; the host does, through a file descriptor. */
function endWithConnection(end: () => void): void {
  process.stdout.on('error', end);
  watchParents(end);
  const fd = Number(process.env[LIFELINE_VARIABLE] ?? 0);
  if (!(fd > 2)) return;
  new Socket({ fd }).on('error', end).on('close', end).resume().unref();
}
