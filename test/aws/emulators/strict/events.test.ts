import { describe, expect, it } from 'vitest';
import { Throttled } from '../../../aws-local/invoke/function-error.ts';
import { strictEvents } from '../../../aws-local/strict/strict.ts';

/** A function that is throttled so many times, and then returns the number of the call. */
function functions(throttledTimes = 0) {
  const calls: [string, unknown][] = [];
  let left = throttledTimes;
  return {
    calls,
    invoke: async (name: string, event: unknown) => {
      left -= 1;
      if (left >= 0) throw new Throttled(name);
      return calls.push([name, event]);
    },
  };
}

describe('Events of a strict runner', () => {
  const batch = (id: number) => ({ Records: [id] });

  it('a batch may come twice, the second time after the first has succeeded, and the last result counts', async () => {
    const called = functions();
    const { invoke } = strictEvents(called, { doubledPart: 1 });
    expect([await invoke('f', batch(1)), await invoke('g', batch(2))]).toEqual([2, 4]);
    expect(called.calls).toEqual([
      ['f', batch(1)],
      ['f', batch(1)],
      ['g', batch(2)],
      ['g', batch(2)],
    ]);
  });

  it('the seed decides which batches of a function come twice, whatever other functions get', async () => {
    const doubled = async (seed: number, others: number) => {
      const called = functions();
      const { invoke } = strictEvents(called, { seed });
      for (let id = 0; id < 50; id += 1) {
        await invoke('f', batch(id));
        for (let other = 0; other < others; other += 1) await invoke('g', batch(id));
      }
      const ids = called.calls.filter(([name]) => name === 'f').map(([, event]) => JSON.stringify(event));
      return ids.filter((id, index) => ids.indexOf(id) < index);
    };
    const some = await doubled(1, 0);
    expect(some.length).toBeGreaterThan(3);
    expect(some.length).toBeLessThan(20);
    expect(await doubled(1, 2)).toEqual(some);
    expect(await doubled(2, 0)).not.toEqual(some);
  });

  it('an event waits while the account is throttled, and fails when it has waited long enough', async () => {
    const called = functions(2);
    expect(await strictEvents(called).invoke('f', {})).toBe(1);
    await expect(strictEvents(functions(9), { patienceMs: 50 }).invoke('f', {})).rejects.toThrow(Throttled);
  });
});
