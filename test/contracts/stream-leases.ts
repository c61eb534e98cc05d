import { beforeEach, describe, expect, it } from 'vitest';
import type { StreamLease, StreamLeases } from '../../functions/core/ports/limits.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { memoryClock } from '../fakes/clock.ts';

const SLOTS = { user: 2, service: 3 };
const MINUTE_MS = 60_000;

/** The contract of the port `StreamLeases`; every implementation must pass it. `open` begins without any lease. */
export function streamLeasesContract(
  title: string,
  open: (clock: Pick<Clock, 'now'>, slots: typeof SLOTS) => StreamLeases | Promise<StreamLeases>,
): void {
  describe(`${title}, as the slots for streams`, () => {
    let clock: ReturnType<typeof memoryClock>;
    let leases: StreamLeases;
    beforeEach(async () => {
      clock = memoryClock();
      leases = await open(clock, SLOTS);
    });

    const take = (user: string, forMs = MINUTE_MS) => leases.acquire(user, clock.now() + forMs);
    const taken = async (user: string): Promise<StreamLease> => {
      const lease = await take(user);
      if ('id' in lease) return lease;
      throw new Error(`There is no slot for ${user}.`);
    };

    it('has so many slots for a user, and says when the first of them is free', async () => {
      await leases.acquire('ann', clock.now() + 2 * MINUTE_MS);
      await leases.acquire('ann', clock.now() + MINUTE_MS);
      expect(await take('ann')).toEqual({ taken: 'user', slots: 2, freeAt: clock.now() + MINUTE_MS });
      expect(await take('bob')).toHaveProperty('id');
    });

    it('has so many slots for all', async () => {
      await taken('ann');
      await taken('bob');
      await taken('cid');
      expect(await take('dan')).toEqual({ taken: 'service', slots: 3, freeAt: clock.now() + MINUTE_MS });
    });

    it('has a slot again when one is released, even twice', async () => {
      const [lease] = [await taken('ann'), await taken('ann')];
      await leases.release(lease);
      await leases.release(lease);
      await taken('ann');
      expect(await take('ann')).toMatchObject({ taken: 'user' });
    });

    it('has a slot again when a lease expires without a release', async () => {
      for (const user of ['ann', 'ann', 'bob']) await taken(user);
      clock.pass(MINUTE_MS - 1);
      expect(await take('ann')).toMatchObject({ taken: 'user' });
      clock.pass(1);
      await taken('ann');
      await taken('ann');
      expect(await take('ann')).toMatchObject({ taken: 'user' });
    });

    it('leaves the slot of another stream alone when an expired lease is released', async () => {
      const expired = [await taken('ann'), await taken('ann'), await taken('bob')];
      clock.pass(MINUTE_MS);
      for (const user of ['ann', 'ann', 'bob']) await taken(user);
      for (const lease of expired) await leases.release(lease);
      expect(await take('ann')).toMatchObject({ taken: 'user' });
      expect(await take('bob')).toMatchObject({ taken: 'service' });
    });

    it('gives no slot twice to streams that are opened at the same moment', async () => {
      const users = ['ann', 'ann', 'ann', 'ann', 'bob', 'bob', 'bob', 'bob'];
      const answers = await Promise.all(users.map((user) => take(user)));
      const held = answers.flatMap((answer) => ('id' in answer ? [answer] : []));
      expect(held).toHaveLength(3);
      expect(Math.max(...['ann', 'bob'].map((user) => held.filter((lease) => lease.user === user).length))).toBe(2);
    });
  });
}
