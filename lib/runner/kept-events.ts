import type { Report, RunnerEvent } from './calls.ts';

/** The oldest are dropped then. */
const MOST_KEPT = 1_000;

/** Keeps events for who comes to follow them. */
export class KeptEvents {
  #kept: RunnerEvent[] = [];
  #follower: Report | undefined;

  readonly add: Report = (event) => {
    if (this.#follower) return this.#follower(event);
    this.#kept.push(event);
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
  };

  follow(report: Report): void {
    this.#follower = report;
    for (const event of this.#kept.splice(0)) report(event);
  }
}
