import type { RunningHost } from '../running.ts';
import { type Deliverer, deliver, sentence } from './deliver.ts';
import type { OwedDelivery } from './journal.ts';
import type { Outcome } from './send.ts';

/** What a round of sending came to. */
export interface RedeliveryReport {
  /** Done with, whatever the service made of them. */
  readonly sent: number;
  /** Still owed. */
  readonly kept: number;
}

/** Sends what is owed. */
export interface Redelivery {
  /** Sends what is owed now and no hook is sending any more, oldest first. Rounds do not overlap. */
  round(): Promise<RedeliveryReport>;
  /** Ends the rounds that come by themselves; settles when none is under way. */
  stop(): Promise<void>;
}

export interface RedeliveryOptions {
  readonly by: Deliverer;
  readonly running: RunningHost;
  readonly log: (line: string) => void;
}

/** The pause between two rounds; it doubles up to the longest. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** A younger delivery is still being sent by its hook. */
const HOOK_MS = 15_000;
const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * Sends what was owed when the host starts, and again and again while the service does not answer: it may start after
 * the host. What is sent twice carries the same delivery id and is recognised. A login that the service refuses ends it:
 * asking again would only lock the user out.
 */
export function startRedelivery(options: RedeliveryOptions): Redelivery {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<Round> = Promise.resolve(nothing);
  let stopped = false;
  const started = Date.now();
  const next = () => {
    current = current
      .then(() => (stopped ? nothing : sendRound(options, started)))
      .catch((error: unknown) => {
        options.log(`Pushes of earlier could not be sent: ${error instanceof Error ? error.message : String(error)}`);
        return nothing;
      });
    return current;
  };
  const tick = async (wait: number) => {
    const { kept, locked } = await next();
    if (stopped || locked) return;
    timer = setTimeout(tick, kept > 0 ? wait : LONGEST_WAIT_MS, Math.min(wait * 2, LONGEST_WAIT_MS)).unref();
  };
  tick(FIRST_WAIT_MS);
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
  readonly locked: boolean;
}
const nothing: Round = { sent: 0, kept: 0, locked: false };

async function sendRound({ by, running, log }: RedeliveryOptions, started: number): Promise<Round> {
  const now = Date.now();
  const owed = by.journal.list().filter(({ at }) => at < started || at < now - HOOK_MS);
  // One repository's pushes keep their order; what one of them waits for does not hold up the others.
  const waiting = new Set<string>();
  let done = 0;
  for (const one of owed) {
    const repository = `${one.owner}/${one.name}`;
    if (waiting.has(repository)) continue;
    const outcome = await sendOne({ by, running }, one, now);
    if (outcome.kind === 'away') waiting.add(repository);
    else log(`${repository}, pushed earlier: ${sentence(one, outcome)}`);
    if (outcome.kind === 'locked') return { sent: done, kept: owed.length - done, locked: true };
    if (outcome.kind !== 'away') done += 1;
  }
  return { sent: done, kept: owed.length - done, locked: false };
}

async function sendOne(
  { by, running }: Omit<RedeliveryOptions, 'log'>,
  one: OwedDelivery,
  now: number,
): Promise<Outcome> {
  if (one.at >= now - KEPT_MS) return deliver(by, running, one);
  by.journal.remove(one);
  return { kind: 'refused', why: 'did not answer for a week' };
}
