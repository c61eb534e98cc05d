/** Returns a function that runs `work` at the first call; every later call gets the promise of the first. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= work());
}
