/**
 * Lets the writers of one process take turns, user by user. Without it they would meet in the transaction, where each
 * meeting costs a refused write; writers of other processes still do.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async wait<T>(user: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(user) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(noop, noop);
    this.#last.set(user, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(user) === settled) this.#last.delete(user);
    }
  }
}

function noop(): void {}
