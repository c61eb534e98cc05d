import { createHash } from 'node:crypto';

export const DEFAULT_SEED = 1;

/**
 * Returns a number from 0 to below 1 that only the seed and the words decide: the same again in a run in which other
 * things happen in another order.
 */
export function chance(seed, ...words) {
  const digest = createHash('sha1')
    .update(JSON.stringify([seed, ...words]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
