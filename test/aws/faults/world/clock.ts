import type { Clock } from '../../../../functions/core/ports/system.ts';
import { resting } from './runs.ts';

/** Who waits for a moment of the virtual time. */
interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** The time of all functions, which only the test moves: a back-off of minutes costs nothing. */
class VirtualClock implements Clock {
  #now = Date.now();
  #sleepers: Sleeper[] = [];
  /** Whether a sleep ends at once and moves the time; else it ends when the time is moved. */
  sleepsPass = true;

  now = (): number => Math.floor(this.#now);

  sleep = (milliseconds: number): Promise<void> => {
    if (this.sleepsPass) {
      this.#now += milliseconds;
      return Promise.resolve();
    }
    const rested = resting();
    return new Promise((resolve) => {
      const wake = () => {
        rested();
        resolve();
      };
      this.#sleepers.push({ at: this.#now + milliseconds, wake });
    });
  };

  /** Moves the time, also back, and wakes those whose moment has come. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const awake = this.#sleepers.filter(({ at }) => at <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
    for (const { wake } of awake) wake();
  }

  /** Those who sleep are dead. */
  forget(): void {
    this.#sleepers = [];
  }

  /** Returns the next moment somebody waits for; null when nobody does. */
  next(): number | null {
    return this.#sleepers.length === 0 ? null : Math.min(...this.#sleepers.map(({ at }) => at));
  }
}

/** The clock of the functions of this process. */
export const clock = new VirtualClock();
