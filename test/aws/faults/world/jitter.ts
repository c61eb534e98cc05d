import { type Random, randomOf } from '../../../faults/world/random.ts';

/** The jitter of the functions' back-offs, which a seed repeats too. */
class Jitter {
  #random: Random = randomOf(1);

  next = (): number => this.#random.next();

  seed(seed: number): void {
    this.#random = randomOf(seed);
  }
}

export const jitter = new Jitter();
