import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FailureMemory, LoginSource } from '../../../core/ports/limits.ts';
import type { Clock } from '../../../core/ports/system.ts';

interface Counter {
  failures: number;
  pauseUntil: number;
  expires: number;
}

/** After the last failure of a user from an address. */
const HERE_MS = 60 * 60_000;
/** After the first failure of a user, or from an address. */
const ATTACK_MS = 10 * 60_000;
/** Some ten megabytes. Beyond that the counters go that were not used for longest. */
const MAX_COUNTERS = 50_000;

/**
 * Returns the memory of wrong passwords in this process: a counter each for the user from the address, the user, and
 * the address. Their keys are digests, because names that strangers send can be long.
 */
export function memoryFailures(clock: Pick<Clock, 'now'>): FailureMemory {
  const counters = new LRUCache<string, Counter>({ max: MAX_COUNTERS });
  const live = (key: string) => {
    const counter = counters.get(key);
    return counter && counter.expires > clock.now() ? counter : undefined;
  };
  const add = (key: string, forMs: number, prolong: boolean) => {
    const counter = live(key) ?? { failures: 0, pauseUntil: 0, expires: clock.now() + forMs };
    counter.failures += 1;
    if (prolong) counter.expires = clock.now() + forMs;
    counters.set(key, counter);
  };
  return {
    read: async (source) => {
      const { here, user, address } = keysOf(source);
      const count = (key: string) => live(key)?.failures ?? 0;
      const pauseUntil = live(here)?.pauseUntil ?? 0;
      return { here: count(here), pauseUntil, ofUser: count(user), ofAddress: count(address) };
    },
    beginPause: async (source, seen, until) => {
      const counter = live(keysOf(source).here);
      if (counter?.pauseUntil !== seen.pauseUntil) return false;
      counter.pauseUntil = until;
      return true;
    },
    add: async (source) => {
      const { here, user, address } = keysOf(source);
      add(here, HERE_MS, true);
      for (const key of [user, address]) add(key, ATTACK_MS, false);
    },
    forget: async (source) => void counters.delete(keysOf(source).here),
  };
}

function keysOf({ user, address }: LoginSource) {
  const key = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { here: key('both', user, address), user: key('user', user), address: key('address', address) };
}
