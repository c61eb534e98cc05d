import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { RunningHost } from '../running.ts';
import type { PendingDelivery } from './pending-deliveries.ts';
import { webhookCall } from './send.ts';

/** The webhook's answer to a push, and a way to send lines to the user who pushed. */
interface FollowedDelivery {
  /** The address in the `Location` of the webhook's answer. */
  readonly entry: string;
  readonly webhook: { readonly url: string; readonly user: string; readonly secret: string };
  readonly print: (line: string) => void;
  /** The user who pushed has gone. */
  readonly signal: AbortSignal;
}

/** Shows the user who pushed what becomes of a delivery; resolves when there is nothing more to show. */
export type Follow = (delivery: FollowedDelivery) => Promise<void>;

/** A delivery whose outcome the webhook has not told yet. */
export interface OpenDelivery {
  readonly delivery: PendingDelivery;
  readonly entry: string;
}

/** The deliveries of a push, and the way to its user. */
interface FollowedPush extends Pick<FollowedDelivery, 'print' | 'signal'> {
  readonly open: readonly OpenDelivery[];
}

/** Follows deliveries, one after the other, with the program that the host was given for it, if any. */
export async function followAll(
  program: string,
  running: RunningHost,
  { open, print, signal }: FollowedPush,
): Promise<void> {
  if (open.length === 0 || !existsSync(program)) return;
  try {
    const { follow }: { readonly follow: Follow } = await import(pathToFileURL(program).href);
    for (const { delivery, entry } of open) {
      if (signal.aborted) return;
      const webhook = webhookCall(running.webhook, { owner: delivery.owner, defaultBranch: '' });
      await follow({ entry, webhook, print, signal });
    }
  } catch (error) {
    print(`The deploy goes on, but cannot be shown here: ${error instanceof Error ? error.message : 'it failed'}`);
  }
}
