/** The seed of a run that has none of its own. */
export declare const DEFAULT_SEED: number;

/**
 * Returns a number from 0 to below 1 that only the seed and the words decide: the same again in a run in which other
 * things happen in another order.
 */
export declare function chance(seed: number, ...words: readonly (string | number)[]): number;
