import type { Clock } from '../../functions/core/ports/clock.ts';
import type { StreamLease, StreamLeases } from '../../functions/core/ports/limits/stream-leases.ts';

interface Taken {
  readonly lease: StreamLease;
  readonly until: number;
}

/** Returns an in-memory fake of the places for streams; `open` counts those that are taken. */
export function memoryLeases(
  clock: Pick<Clock, 'now'>,
  places = { user: 5, service: 5 },
): StreamLeases & { open(): number } {
  let taken: readonly Taken[] = [];
  let next = 0;
  const live = () => {
    taken = taken.filter(({ until }) => until > clock.now());
    return taken;
  };
  const firstEnd = (all: readonly Taken[]) => Math.min(...all.map(({ until }) => until));
  return {
    take: async (user, until) => {
      const ofUser = live().filter(({ lease }) => lease.user === user);
      if (ofUser.length >= places.user) return { taken: 'user', places: places.user, freeAt: firstEnd(ofUser) };
      if (taken.length >= places.service) return { taken: 'service', places: places.service, freeAt: firstEnd(taken) };
      next += 1;
      const lease = { id: String(next), user, places: { user: next, service: next } };
      taken = [...taken, { lease, until }];
      return lease;
    },
    giveBack: async ({ id }) => {
      taken = taken.filter(({ lease }) => lease.id !== id);
    },
    open: () => live().length,
  };
}
