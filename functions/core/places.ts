import { once } from './concurrency.ts';

/**
 * The places in which work of several users runs at a time. A free place goes to the user who has the fewest of those who
 * wait, and among these to who was served longest ago. So one user has all places while nobody else waits, half of them at
 * most against another one who floods, and each other user gets the next place that is free.
 */
export class Places<Work> {
  readonly #running = new Map<string, number>();
  /** By user, who was served longest ago first. */
  readonly #waiting = new Map<string, Work[]>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Adds work that waits for a place. */
  add(user: string, work: Work): void {
    const waiting = this.#waiting.get(user);
    if (waiting) waiting.push(work);
    else this.#waiting.set(user, [work]);
  }

  /** Takes the work whose turn it is; its place is given back with `free`. Null without a free place, or without work. */
  take(): { readonly user: string; readonly work: Work } | null {
    const user = this.#free > 0 ? this.#next() : undefined;
    const waiting = user === undefined ? undefined : this.#waiting.get(user);
    const work = waiting?.shift();
    if (user === undefined || work === undefined || !waiting) return null;
    this.#waiting.delete(user);
    if (waiting.length > 0) this.#waiting.set(user, waiting);
    this.#free -= 1;
    this.#running.set(user, this.#of(user) + 1);
    return { user, work };
  }

  free(user: string): void {
    const left = this.#of(user) - 1;
    if (left > 0) this.#running.set(user, left);
    else this.#running.delete(user);
    this.#free += 1;
  }

  hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Returns what waits, in the order of its turns if no more comes and all of it takes as long. */
  inOrder(): readonly Work[] {
    const users = [...this.#waiting].sort(([one], [other]) => this.#of(one) - this.#of(other));
    const turns = users.flatMap(([, waiting]) => waiting.map((work, turn) => ({ work, turn })));
    return turns.sort((one, other) => one.turn - other.turn).map(({ work }) => work);
  }

  /** Not more users than there are places have any: the loop is as short, however much waits. */
  #next(): string | undefined {
    let next: string | undefined;
    for (const user of this.#waiting.keys()) {
      if (this.#of(user) === 0) return user;
      if (next === undefined || this.#of(user) < this.#of(next)) next = user;
    }
    return next;
  }

  #of(user: string): number {
    return this.#running.get(user) ?? 0;
  }
}

/** Runs work when it is its user's turn, and resolves or rejects as it does. Work may leave its place before it ends. */
export type TurnsByUser = <T>(user: string, work: (leave: () => void) => Promise<T>) => Promise<T>;

/** Returns turns at so many places. */
export function turnsByUser(count: number): TurnsByUser {
  const places = new Places<() => void>(count);
  const begin = () => {
    for (let next = places.take(); next !== null; next = places.take()) next.work();
  };
  const run = async <T>(user: string, work: (leave: () => void) => Promise<T>): Promise<T> => {
    const leave = once(() => {
      places.free(user);
      begin();
    });
    try {
      return await work(leave);
    } finally {
      leave();
    }
  };
  return (user, work) =>
    new Promise((resolve) => {
      places.add(user, () => resolve(run(user, work)));
      begin();
    });
}
