import { useEffect, useState } from 'preact/hooks';

export class Store<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const follower of [...this.#followers]) follower();
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

/** Returns the value of a store, and draws the view again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({});
  const drawn = store.value;
  useEffect(() => {
    // The value may have changed since it was drawn: effects run after the browser has painted.
    if (drawn !== store.value) draw({});
    return store.follow(() => draw({}));
  }, [store]);
  return drawn;
}
