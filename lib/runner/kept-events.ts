import { randomBytes } from 'node:crypto';
import type { EventId, NumberedEvent, Report } from './calls.ts';

/** The oldest are dropped then. */
const MOST_KEPT = 1_000;

/** Keeps events until who follows them has taken them. */
export class KeptEvents {
  readonly #of = randomBytes(8).toString('hex');
  #kept: NumberedEvent[] = [];
  #last = 0;
  #wake = () => {};

  readonly add: Report = (event) => {
    this.#last += 1;
    this.#kept.push({ id: { of: this.#of, seq: this.#last }, event });
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
    this.#wake();
  };

  /** Returns the events after that one, which are kept no longer than until the next call: none when the signal aborts. */
  async after(last: EventId | null, signal?: AbortSignal): Promise<readonly NumberedEvent[]> {
    const taken = last?.of === this.#of ? last.seq : 0;
    this.#kept = this.#kept.filter(({ id }) => id.seq > taken);
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
