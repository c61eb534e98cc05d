import { LRUCache } from 'lru-cache';
import { REFUSED_KEPT_MS, type RefusedCall, type RefusedCalls } from '../../../core/ports/refused-calls.ts';
import type { Clock } from '../../../core/ports/system.ts';

/** Names that strangers send take no more than these. */
const MAX_USERS = 1000;

/** Returns the last refused calls, in this process. */
export function memoryRefusedCalls(clock: Pick<Clock, 'now'>): RefusedCalls {
  const calls = new LRUCache<string, RefusedCall>({ max: MAX_USERS });
  return {
    note: async (user, call) => void calls.set(user, call),
    last: async (user) => {
      const call = calls.get(user);
      return call && call.at + REFUSED_KEPT_MS > clock.now() ? call : null;
    },
  };
}
