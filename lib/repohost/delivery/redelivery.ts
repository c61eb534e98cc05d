import { backOff, forEachLimit } from '../../../functions/core/concurrency.ts';
import { type RunningHost, webhookSecret } from '../running.ts';
import { type DeliveryContext, deliver, outcomeLines } from './deliver.ts';
import type { PendingDelivery } from './pending-deliveries.ts';

/** The result of one round of sending. */
export interface RedeliveryReport {
  /** Deliveries with a final answer, whether accepted or rejected. */
  readonly sent: number;
  /** Deliveries that are still pending. */
  readonly kept: number;
}

interface Redelivery {
  /** Sends the pending deliveries that no hook is sending, oldest first. Rounds do not overlap. */
  round(): Promise<RedeliveryReport>;
  /** Stops the scheduled rounds; resolves when none is in progress. */
  stop(): Promise<void>;
}

interface RedeliveryOptions {
  readonly context: DeliveryContext;
  /** Returns the host as it runs now. */
  readonly running: () => RunningHost;
  /** Ids of deliveries that no hook sends; they do not have to become older first. */
  readonly unattended: ReadonlySet<string>;
  readonly log: (line: string) => void;
}

/** Milliseconds between two rounds. */
const PAUSES = { first: 1_000, most: 30_000 };
/** A younger delivery is still being sent by its hook. */
const HOOK_TIMEOUT_MS = 15_000;
/** Repositories whose deliveries are sent at the same time, so that a slow answer does not hold up the others. */
const REPOSITORIES_AT_ONCE = 4;

/**
 * Sends pending deliveries when the host starts and, with growing pauses, until the service answers, which may start
 * after the host. Each attempt carries the same delivery id, so that the service recognises duplicates. A refused login
 * ends the retries of its owner, because more of them would lock the user out.
 */
export function startRedelivery(options: RedeliveryOptions): Redelivery {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<RedeliveryReport> = Promise.resolve(EMPTY_ROUND);
  let stopped = false;
  const started = Date.now();
  const refused: Refused = new Map();
  const next = () => {
    current = current
      .then(() => (stopped ? EMPTY_ROUND : sendRound(options, refused, started)))
      .catch((error: unknown) => {
        options.log(`Pending deliveries could not be sent: ${error instanceof Error ? error.message : String(error)}`);
        return EMPTY_ROUND;
      });
    return current;
  };
  const tick = async (rounds: number) => {
    const { kept } = await next();
    if (stopped) return;
    timer = setTimeout(tick, kept > 0 ? backOff(rounds, PAUSES) : PAUSES.most, rounds + 1).unref();
  };
  tick(0);
  return {
    round: next,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

const EMPTY_ROUND: RedeliveryReport = { sent: 0, kept: 0 };

async function sendRound(options: RedeliveryOptions, refused: Refused, started: number): Promise<RedeliveryReport> {
  const { context, unattended } = options;
  const running = options.running();
  const now = Date.now();
  const isDue = ({ at, id }: PendingDelivery) => at < started || at < now - HOOK_TIMEOUT_MS || unattended.has(id);
  const due = context.pending.list().filter(isDue);
  let sent = 0;
  await forEachLimit(byRepository(due).values(), REPOSITORIES_AT_ONCE, async (deliveries) => {
    const done = await sendInOrder(deliveries, { ...options, running, refused });
    // Not `+= await`, which would read the sum before the others have added theirs.
    sent += done;
  });
  return { sent, kept: due.length - sent };
}

function byRepository(deliveries: readonly PendingDelivery[]): Map<string, PendingDelivery[]> {
  const found = new Map<string, PendingDelivery[]>();
  for (const delivery of deliveries) {
    const repository = `${delivery.owner}/${delivery.name}`;
    found.set(repository, [...(found.get(repository) ?? []), delivery]);
  }
  return found;
}

/** The secrets that the service has refused, by owner. */
type Refused = Map<string, string>;
type SendOptions = Pick<RedeliveryOptions, 'context' | 'log'> & {
  readonly running: RunningHost;
  readonly refused: Refused;
};

/** Sends the deliveries of a repository until one stays pending; returns how many had a final answer. */
async function sendInOrder(
  deliveries: readonly PendingDelivery[],
  { context, log, running, refused }: SendOptions,
): Promise<number> {
  for (const [done, delivery] of deliveries.entries()) {
    const { owner, name } = delivery;
    const secret = webhookSecret(running.webhook, owner) ?? running.webhook.secret;
    if (refused.get(owner) === secret) return done;
    const outcome = await deliver(context, running, delivery);
    if (outcome.kind === 'unavailable') return done;
    log(`${owner}/${name}, pushed earlier: ${outcomeLines(delivery, outcome, { isKept: true })}`);
    if (outcome.kind === 'unauthorized') {
      refused.set(owner, secret);
      return done;
    }
  }
  return deliveries.length;
}
