import { describe, expect, it } from 'vitest';
import type { RefusedCall, RefusedCalls } from '../../functions/core/ports/refused-calls.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { memoryClock } from '../fakes/clock.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The contract of the port `RefusedCalls`; every implementation must pass it. */
export function refusedCallsContract(title: string, open: (clock: Pick<Clock, 'now'>) => RefusedCalls): void {
  describe(`${title}, as the memory of refused calls`, () => {
    const call = (at: number): RefusedCall => ({
      at,
      code: 'deploy:no_payload',
      detail: 'It is empty.',
      agent: 'curl',
    });

    it('has the last one of a user for a day, and none of others', async () => {
      const clock = memoryClock();
      const calls = open(clock);
      expect(await calls.last('ann')).toBeNull();
      await calls.note('ann', call(clock.now() - 5));
      await calls.note('ann', { ...call(clock.now()), agent: null });
      expect(await calls.last('ann')).toEqual({ ...call(clock.now()), agent: null });
      expect(await calls.last('bob')).toBeNull();
      clock.pass(DAY_MS);
      expect(await calls.last('ann')).toBeNull();
    });
  });
}
