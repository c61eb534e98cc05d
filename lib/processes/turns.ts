/** Runs one piece of work at a time per key, in the order asked; other keys run beside. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Makes a fresh set of turns. A piece of work that fails does not hold up the next one. */
export function turns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const forget = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  };
}
