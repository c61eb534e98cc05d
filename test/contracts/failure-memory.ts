import { beforeEach, describe, expect, it } from 'vitest';
import type { FailureMemory } from '../../functions/core/ports/limits.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { memoryClock } from '../fakes/clock.ts';

const MINUTE_MS = 60_000;
let users = 0;

/** The contract of the port `FailureMemory`; every implementation must pass it. */
export function failureMemoryContract(title: string, open: (clock: Pick<Clock, 'now'>) => FailureMemory): void {
  describe(`${title}, as the memory of wrong passwords`, () => {
    let clock: ReturnType<typeof memoryClock>;
    let memory: FailureMemory;
    let ann: string;
    let here: string;
    beforeEach(() => {
      clock = memoryClock();
      memory = open(clock);
      users += 1;
      ann = `ann-${users}`;
      here = `10.0.0.${users}`;
    });

    const at = (address = here, user = ann) => ({ user, address });

    it('counts those of a user from an address, of a user, and from an address', async () => {
      expect(await memory.read(at())).toEqual({ here: 0, pauseUntil: 0, ofUser: 0, ofAddress: 0 });
      for (const source of [at(), at(), at(`${here}/other`), at(here, `${ann}-other`)]) await memory.add(source);
      expect(await memory.read(at())).toEqual({ here: 2, pauseUntil: 0, ofUser: 3, ofAddress: 3 });
    });

    it('counts every one of those that come at the same moment', async () => {
      await Promise.all(Array.from({ length: 10 }, () => memory.add(at())));
      expect(await memory.read(at())).toMatchObject({ here: 10, ofUser: 10, ofAddress: 10 });
    });

    it('forgets those of a user from an address, and keeps the others', async () => {
      await memory.add(at());
      await memory.forget(at());
      await memory.forget(at());
      expect(await memory.read(at())).toEqual({ here: 0, pauseUntil: 0, ofUser: 1, ofAddress: 1 });
    });

    it('lets one of many begin a pause, and again one when it is over', async () => {
      await memory.add(at());
      for (const until of [clock.now() + 1000, clock.now() + 2000]) {
        const seen = await memory.read(at());
        const begun = await Promise.all([1, 2, 3, 4].map(() => memory.beginPause(at(), seen, until)));
        expect(begun.filter(Boolean)).toHaveLength(1);
        expect((await memory.read(at())).pauseUntil).toBe(until);
      }
    });

    it('begins no pause for what has been forgotten', async () => {
      await memory.add(at());
      const seen = await memory.read(at());
      await memory.forget(at());
      expect(await memory.beginPause(at(), seen, clock.now() + 1000)).toBe(false);
      expect((await memory.read(at())).pauseUntil).toBe(0);
    });

    it('forgets by itself: an hour after the last here, ten minutes after the first of a user or an address', async () => {
      await memory.add(at());
      const seen = await memory.read(at());
      await memory.beginPause(at(), seen, clock.now() + 1000);
      clock.pass(9 * MINUTE_MS);
      await memory.add(at());
      clock.pass(2 * MINUTE_MS);
      expect(await memory.read(at())).toMatchObject({ here: 2, ofUser: 0, ofAddress: 0 });
      clock.pass(59 * MINUTE_MS);
      expect(await memory.read(at())).toMatchObject({ here: 0, pauseUntil: 0 });
      await memory.add(at());
      expect(await memory.read(at())).toEqual({ here: 1, pauseUntil: 0, ofUser: 1, ofAddress: 1 });
    });
  });
}
