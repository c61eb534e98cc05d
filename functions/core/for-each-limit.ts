/**
 * Calls `work` for every item, in order and for at most `limit` items at a time. `work` must not reject: the other
 * items would go on without a caller that waits for them.
 */
export async function forEachLimit<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // All workers take their items from the same iterator.
  const waiting = [...items].values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
