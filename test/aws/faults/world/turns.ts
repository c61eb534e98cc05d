import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Fault, Weather } from '../../../faults/world/faults.ts';
import type { Random } from '../../../faults/world/random.ts';
import type { Call, Run, Turns } from './runs.ts';
import type { Service } from './services.ts';

interface Waiting {
  readonly run: Run;
  readonly call: Call;
  readonly go: (fault: Fault | null) => void;
}

/** A fault that was injected. */
export interface Injected {
  readonly run: string;
  readonly call: string;
  readonly fault: Fault;
}

/** Turns of the event loop without anything new, after which nothing more is to be expected. */
const QUIET_TURNS = 3;
const STUCK_AFTER_MS = 30_000;

/**
 * Lets one call at a time go on, chosen at random, so that a seed repeats the order of all calls of workers that run at
 * the same time.
 */
export class RandomTurns implements Turns {
  readonly injected: Injected[] = [];
  readonly #random: Random;
  readonly #weather: Weather<Service>;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #events = 0;
  #live = new Set<Run>();

  constructor(random: Random, weather: Weather<Service>) {
    this.#random = random;
    this.#weather = weather;
  }

  take = (run: Run, call: Call): Promise<Fault | null> => {
    this.#events += 1;
    run.waiting += 1;
    return new Promise((go) => this.#waiting.push({ run, call, go }));
  };

  ended = (): void => {
    this.#events += 1;
    this.#inFlight -= 1;
  };

  /** The runs whose workers are alive. */
  get live(): readonly Run[] {
    return [...this.#live];
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  begin(run: Run): void {
    this.#events += 1;
    this.#live.add(run);
  }

  finish(run: Run): void {
    this.#events += 1;
    this.#live.delete(run);
    this.#waiting = this.#waiting.filter((one) => one.run !== run);
  }

  /** Lets one of the calls that wait go on. */
  go(): void {
    const one = this.#random.pick(this.#waiting);
    this.#waiting = this.#waiting.filter((other) => other !== one);
    one.run.waiting -= 1;
    this.#inFlight += 1;
    const fault = this.#weather.next(one.call.service);
    if (fault) this.injected.push({ run: one.run.name, call: `${one.call.service} ${one.call.what}`, fault });
    one.go(fault);
  }

  /** Waits until every run that is alive waits for its turn, or sleeps. */
  async settled(): Promise<void> {
    const limit = performance.now() + STUCK_AFTER_MS;
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.#events;
      if (this.#inFlight > 0) await setTimeout(1);
      else await setImmediate();
      const isBusy = [...this.#live].some((run) => run.waiting === 0);
      if (isBusy) await setTimeout(1);
      quiet = this.#inFlight === 0 && before === this.#events && !isBusy ? quiet + 1 : 0;
      if (performance.now() > limit) throw new Error(`Stuck: ${this.live.map(({ name }) => name).join(', ')}`);
    }
  }
}
