/** Random choices that a seed repeats. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number;
  /** Whether something of this probability happens. */
  happens(probability: number): boolean;
  /** Returns one of a list that is not empty. */
  pick<T>(from: readonly T[]): T;
}

/**
 * Returns the random choices of a seed (mulberry32,
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c).
 */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    happens: (probability) => next() < probability,
    pick: (from) => {
      const one = from[below(from.length)];
      if (one === undefined) throw new Error('There is nothing to pick from.');
      return one;
    },
  };
}

/** Returns pushes as they arrive: some before an earlier one, and some twice. */
export function arriving<T>(random: Random, pushes: readonly T[]): T[] {
  const all = [...pushes];
  for (let index = 1; index < all.length; index += 1) {
    const [before, here] = [all[index - 1], all[index]];
    if (before && here && random.happens(0.15)) [all[index - 1], all[index]] = [here, before];
  }
  return all.flatMap((push) => (random.happens(0.15) ? [push, push] : [push]));
}
