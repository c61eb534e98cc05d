import type { Clock } from '../../functions/core/ports/clock.ts';
import type { FailureMemory, LoginSource } from '../../functions/core/ports/limits/login-failures.ts';

interface Counter {
  failures: number;
  pauseUntil: number;
  expires: number;
}

const HOUR_MS = 60 * 60_000;
const TEN_MINUTES_MS = 10 * 60_000;

/** Returns an in-memory fake of the memory of wrong passwords. */
export function memoryFailures(clock: Pick<Clock, 'now'>): FailureMemory {
  const counters = new Map<string, Counter>();
  const live = (key: string) => {
    const known = counters.get(key);
    return known && known.expires > clock.now() ? known : undefined;
  };
  const add = (key: string, forMs: number, prolong: boolean) => {
    const known = live(key) ?? { failures: 0, pauseUntil: 0, expires: clock.now() + forMs };
    known.failures += 1;
    if (prolong) known.expires = clock.now() + forMs;
    counters.set(key, known);
  };
  const keys = ({ user, address }: LoginSource) => ({
    here: JSON.stringify(['both', user, address]),
    user: JSON.stringify(['user', user]),
    address: JSON.stringify(['address', address]),
  });
  return {
    read: async (source) => {
      const { here, user, address } = keys(source);
      const count = (key: string) => live(key)?.failures ?? 0;
      const pauseUntil = live(here)?.pauseUntil ?? 0;
      return { here: count(here), pauseUntil, ofUser: count(user), ofAddress: count(address) };
    },
    beginPause: async (source, seen, until) => {
      const known = live(keys(source).here);
      if (known?.pauseUntil !== seen.pauseUntil) return false;
      known.pauseUntil = until;
      return true;
    },
    add: async (source) => {
      const { here, user, address } = keys(source);
      add(here, HOUR_MS, true);
      for (const key of [user, address]) add(key, TEN_MINUTES_MS, false);
    },
    forget: async (source) => void counters.delete(keys(source).here),
  };
}
