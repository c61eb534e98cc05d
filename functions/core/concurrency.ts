export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Runs one piece of work at a time per key, in the order of the calls; work under other keys runs beside it. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Returns a mutex without holders. Work that fails does not block what waits behind it. */
export function keyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const done = (tails.get(key) ?? Promise.resolve()).then(work, work);
    tails.set(key, done);
    const forget = () => {
      if (tails.get(key) === done) tails.delete(key);
    };
    done.then(forget, forget);
    return done;
  };
}

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

/**
 * Returns the results of `work` for every item, in their order, with at most `limit` items at a time. Rejects with the
 * first failure, after which no other item begins.
 */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const waiting = items.entries();
  let failed = false;
  const worker = async () => {
    for (const [index, item] of waiting) {
      if (failed) return;
      results.set(index, await work(item));
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  await Promise.all(workers).catch((error: unknown) => {
    failed = true;
    throw error;
  });
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result);
}

/** Work that its caller does not wait for. */
interface Background {
  add(work: Promise<void>): void;
  /** Resolves when all that was added has ended. */
  ended(): Promise<void>;
}

/** Returns background work of which there is none yet; `failed` is called with each failure. */
export function background(failed: (error: unknown) => void): Background {
  const running = new Set<Promise<void>>();
  return {
    add: (work) => {
      const done = work.catch(failed).finally(() => running.delete(done));
      running.add(done);
    },
    ended: async () => void (await Promise.all(running)),
  };
}

/** The pauses between the attempts of something that fails; `first` and `most` in the caller's unit. */
interface Pauses {
  readonly first: number;
  readonly most: number;
}

/** Exponential back-off without jitter: returns `first` after the first failure (0 earlier ones), then twice as much each time. */
export function backOff(earlierFailures: number, { first, most }: Pauses): number {
  return Math.min(most, first * 2 ** earlierFailures);
}
