import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RunnerLimits } from '../settings.ts';

/** Requests to an application that come while nothing of it serves. */
export class Waiting {
  readonly #all = new Set<() => void>();

  constructor(private readonly limits: Pick<RunnerLimits, 'waitMs' | 'mostWaiting'>) {}

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Calls `goOn` when all that wait go on, after the time limit, or at once when too many wait; not when its client has left. */
  add(stream: ServerResponse | Duplex, goOn: () => void): void {
    if (this.#all.size >= this.limits.mostWaiting) {
      goOn();
      return;
    }
    const over = () => {
      leave();
      goOn();
    };
    const leave = () => {
      clearTimeout(timer);
      stream.off('close', leave);
      this.#all.delete(over);
    };
    const timer = setTimeout(over, this.limits.waitMs);
    stream.once('close', leave);
    this.#all.add(over);
  }

  /** Lets all go on, in the order in which they came. */
  end(): void {
    for (const over of [...this.#all]) over();
  }
}
