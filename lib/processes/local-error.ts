/**
 * What keeps the one-machine runtime from starting or going on, as one sentence for the person at the terminal:
 * what happened and what to do about it. The technical reason is kept as `cause`.
 */
export class LocalError extends Error {
  override readonly name = 'LocalError';
}
