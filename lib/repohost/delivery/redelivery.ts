import type { RunningHost } from '../running.ts';
import { type DeliveryContext, deliver, outcomeLines } from './deliver.ts';
import type { PendingDelivery } from './pending-deliveries.ts';
import type { Outcome } from './send.ts';

/** The result of one round of sending. */
export interface RedeliveryReport {
  /** Deliveries with a final answer, whether accepted or rejected. */
  readonly sent: number;
  /** Deliveries that are still pending. */
  readonly kept: number;
}

/** Sends pending deliveries. */
export interface Redelivery {
  /** Sends the pending deliveries that no hook is sending, oldest first. Rounds do not overlap. */
  round(): Promise<RedeliveryReport>;
  /** Stops the scheduled rounds; resolves when none is in progress. */
  stop(): Promise<void>;
}

export interface RedeliveryOptions {
  readonly context: DeliveryContext;
  /** Returns the host as it runs now. */
  readonly running: () => RunningHost;
  /** Ids of deliveries that no hook sends; they do not have to become older first. */
  readonly unattended: ReadonlySet<string>;
  readonly log: (line: string) => void;
}

/** The pause between two rounds doubles from the shortest to the longest. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;
/** A younger delivery is still being sent by its hook. */
const HOOK_TIMEOUT_MS = 15_000;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;

/**
 * Sends pending deliveries when the host starts and, with growing pauses, until the service answers, which may start
 * after the host. Each attempt carries the same delivery id, so that the service recognises duplicates. A refused login
 * ends the retries, because more of them would lock the user out.
 */
export function startRedelivery(options: RedeliveryOptions): Redelivery {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<Round> = Promise.resolve(EMPTY_ROUND);
  let stopped = false;
  const started = Date.now();
  const next = () => {
    current = current
      .then(() => (stopped ? EMPTY_ROUND : sendRound(options, started)))
      .catch((error: unknown) => {
        options.log(`Pending deliveries could not be sent: ${error instanceof Error ? error.message : String(error)}`);
        return EMPTY_ROUND;
      });
    return current;
  };
  const tick = async (pauseMs: number) => {
    const { kept, unauthorized } = await next();
    if (stopped || unauthorized) return;
    timer = setTimeout(tick, kept > 0 ? pauseMs : MAX_PAUSE_MS, Math.min(pauseMs * 2, MAX_PAUSE_MS)).unref();
  };
  tick(MIN_PAUSE_MS);
  return {
    round: async () => {
      const { sent, kept } = await next();
      return { sent, kept };
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

interface Round extends RedeliveryReport {
  /** The service refused the login. */
  readonly unauthorized: boolean;
}
const EMPTY_ROUND: Round = { sent: 0, kept: 0, unauthorized: false };

async function sendRound(options: RedeliveryOptions, started: number): Promise<Round> {
  const { context, unattended, log } = options;
  const running = options.running();
  const now = Date.now();
  const isDue = ({ at, id }: PendingDelivery) => at < started || at < now - HOOK_TIMEOUT_MS || unattended.has(id);
  const deliveries = context.pending.list().filter(isDue);
  // The pushes of a repository stay in order; one that cannot be sent does not block other repositories.
  const waiting = new Set<string>();
  let done = 0;
  for (const delivery of deliveries) {
    const repository = `${delivery.owner}/${delivery.name}`;
    if (waiting.has(repository)) continue;
    const outcome = await sendOne({ context, running }, delivery, now);
    if (outcome.kind === 'unavailable') waiting.add(repository);
    else log(`${repository}, pushed earlier: ${outcomeLines(delivery, outcome)}`);
    if (outcome.kind === 'unauthorized') return { sent: done, kept: deliveries.length - done, unauthorized: true };
    if (outcome.kind !== 'unavailable') done += 1;
  }
  return { sent: done, kept: deliveries.length - done, unauthorized: false };
}

async function sendOne(
  { context, running }: { readonly context: DeliveryContext; readonly running: RunningHost },
  delivery: PendingDelivery,
  now: number,
): Promise<Outcome> {
  if (delivery.at >= now - MAX_AGE_MS) return deliver(context, running, delivery);
  context.pending.remove(delivery);
  return { kind: 'rejected', why: 'did not answer for a week' };
}
