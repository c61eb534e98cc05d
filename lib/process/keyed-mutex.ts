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
