import type { StreamLease, StreamLeases } from '../../../core/ports/limits.ts';
import type { Clock } from '../../../core/ports/system.ts';

interface Taken {
  readonly lease: StreamLease;
  readonly until: number;
}

/** Returns the slots for streams in this process; `open` counts those that are taken. */
export function memoryLeases(
  clock: Pick<Clock, 'now'>,
  slots: { readonly user: number; readonly service: number },
): StreamLeases & { open(): number } {
  let taken: readonly Taken[] = [];
  let next = 0;
  const live = () => {
    taken = taken.filter(({ until }) => until > clock.now());
    return taken;
  };
  const firstEnd = (all: readonly Taken[]) => Math.min(...all.map(({ until }) => until));
  return {
    acquire: async (user, until) => {
      const ofUser = live().filter(({ lease }) => lease.user === user);
      if (ofUser.length >= slots.user) return { taken: 'user', slots: slots.user, freeAt: firstEnd(ofUser) };
      if (taken.length >= slots.service) return { taken: 'service', slots: slots.service, freeAt: firstEnd(taken) };
      next += 1;
      const lease = { id: String(next), user, slots: { user: next, service: next } };
      taken = [...taken, { lease, until }];
      return lease;
    },
    release: async ({ id }) => {
      taken = taken.filter(({ lease }) => lease.id !== id);
    },
    open: () => live().length,
  };
}
