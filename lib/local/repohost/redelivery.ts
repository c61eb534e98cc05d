import { type Deliverer, deliver, sentence } from './deliver.ts';
import type { Running } from './running.ts';

/** What a round of sending came to. */
export interface RedeliveryReport {
  readonly sent: number;
  readonly kept: number;
}

/** Sends what is owed. */
export interface Redelivery {
  /** Sends what is owed now, oldest first, until the service does not answer. Rounds do not overlap. */
  round(): Promise<RedeliveryReport>;
  /** Ends the rounds that come by themselves; settles when none is under way. */
  stop(): Promise<void>;
}

export interface RedeliveryOptions {
  readonly by: Deliverer;
  readonly running: Running;
  readonly log: (line: string) => void;
}

/** The first wait between two rounds, in milliseconds; doubled up to the last one. */
const firstWait = 1000;
const lastWait = 30_000;
/** A delivery this young is the hook's, which is still waiting for its answer. */
const hooksMs = 15_000;
const keptMs = 7 * 24 * 3600 * 1000;

/**
 * Sends what was owed when the host starts, and again and again while the service does not answer: it may start after
 * the host. What is sent twice carries the same delivery id and is recognised. A login that the service refuses ends it:
 * asking again would only lock the user out.
 */
export function startRedelivery(options: RedeliveryOptions): Redelivery {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<RedeliveryReport> = Promise.resolve({ sent: 0, kept: 0 });
  let stopped = false;
  const started = Date.now();
  const round = () => {
    current = current.then(() => sendRound(options, started)).then(({ report }) => report);
    return current;
  };
  const again = (wait: number) => {
    if (stopped) return;
    timer = setTimeout(tick, wait, Math.min(wait * 2, lastWait)).unref();
  };
  const tick = (next: number) => {
    const mine = current.then(() => sendRound(options, started));
    current = mine.then(({ report }) => report);
    mine.then(({ report, locked }) => locked || again(report.kept > 0 ? next : lastWait));
  };
  tick(firstWait);
  return {
    round,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

async function sendRound({ by, running, log }: RedeliveryOptions, started: number) {
  const now = Date.now();
  const owed = by.journal.list().filter(({ at }) => at < started || at < now - hooksMs);
  let sent = 0;
  for (const one of owed) {
    if (one.at < now - keptMs) {
      by.journal.remove(one);
      log(`The push of ${one.ref} to ${one.owner}/${one.name} waited a week and is not deployed any more.`);
      continue;
    }
    const outcome = await deliver(by, running, one);
    if (outcome.kind === 'away' || outcome.kind === 'locked') {
      const locked = outcome.kind === 'locked';
      if (locked) log(`${one.owner}/${one.name}: ${sentence(one, outcome)}`);
      return { report: { sent, kept: owed.length - sent }, locked };
    }
    sent += 1;
    log(`${one.owner}/${one.name}, pushed earlier: ${sentence(one, outcome)}`);
  }
  return { report: { sent, kept: 0 }, locked: false };
}
