import type { DatabaseWrites } from '../../tuning/write-watch.ts';

const SHORTEST_MS = 20;
const LONGEST_MS = 100;
const ALERT_MS = 200;

/**
 * How long readers of streams rest between two empty reads: short for a while after something came, so that a burst of
 * changes passes quickly, then longer, so that an idle service costs next to nothing.
 */
export class Pace {
  readonly #waiting = new Set<() => void>();
  readonly #signal: AbortSignal;
  readonly #writes: Pick<DatabaseWrites, 'next'> | null;
  #alertUntil = 0;
  #nudges = 0;

  constructor(signal: AbortSignal, writes: Pick<DatabaseWrites, 'next'> | null = null) {
    this.#signal = signal;
    this.#writes = writes;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Before a read: gives a mark for `rest`, so that a nudge or a write during the read is not missed. */
  mark(): number {
    this.#writes?.next(() => this.nudge());
    return this.#nudges;
  }

  /** Ends every rest, and those that follow for a moment are short: what was told of may be there only just after. */
  nudge(): void {
    this.#nudges += 1;
    this.#alertUntil = Date.now() + ALERT_MS;
    this.#wake();
  }

  /** Resolves after a pause, at the next nudge, or when closed; at once when there was a nudge since the mark. */
  async rest(mark: number): Promise<void> {
    if (mark !== this.#nudges || this.#signal.aborted) return;
    const pause = Date.now() < this.#alertUntil ? SHORTEST_MS : LONGEST_MS;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, pause);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
