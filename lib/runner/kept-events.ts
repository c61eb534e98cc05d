import type { NumberedEvent, Report } from './calls.ts';

/** The oldest are dropped then. */
const MOST_KEPT = 1_000;

/** Keeps events until who follows them has taken them. */
export class KeptEvents {
  #kept: NumberedEvent[] = [];
  #last = 0;
  #wake = () => {};

  readonly add: Report = (event) => {
    this.#last += 1;
    this.#kept.push({ seq: this.#last, event });
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
    this.#wake();
  };

  /** Returns the events after that number, which are kept no longer than until the next call: none when the signal aborts. */
  async after(seq: number, signal?: AbortSignal): Promise<readonly NumberedEvent[]> {
    this.#kept = this.#kept.filter((one) => one.seq > seq);
    if (this.#kept.length > 0 || signal?.aborted) return this.#kept;
    const waiting = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const end = this.#wake;
    signal?.addEventListener('abort', end);
    await waiting;
    signal?.removeEventListener('abort', end);
    return this.#kept;
  }
}
