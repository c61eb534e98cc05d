import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../http-error.ts';

const MOST_REMEMBERED = 10_000;
const FORGOTTEN_AFTER_MS = 10 * 60_000;
const FREE_FAILURES = 10;
const LONGEST_PAUSE_MS = 30_000;

/** Slows down who guesses passwords: after ten failures there must be a pause before the next try, of 1 s to 30 s. */
export class BackOff {
  readonly #failed = new LRUCache<string, { readonly failures: number; readonly until: number }>({
    max: MOST_REMEMBERED,
    ttl: FORGOTTEN_AFTER_MS,
  });

  /** Throws TooManyRequests while there must be no try. */
  check(key: string, now = performance.now()): void {
    const pause = (this.#failed.get(key)?.until ?? 0) - now;
    if (pause > 0) throw new TooManyRequests('Too many wrong passwords for this user.', Math.ceil(pause / 1000));
  }

  failed(key: string, now = performance.now()): void {
    const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
    const pauseMs = failures < FREE_FAILURES ? 0 : Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** (failures - FREE_FAILURES));
    this.#failed.set(key, { failures, until: now + pauseMs });
  }

  succeeded(key: string): void {
    this.#failed.delete(key);
  }
}
