import { describe, expect, it } from 'vitest';
import { Throttled } from '../../../../../lib/aws-local/invoke/function-error.ts';
import { strictEvents } from '../../../../../lib/aws-local/strict/events.ts';

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
  it('each so many batches of a function come twice, after one another, and the last result counts', async () => {
    const called = functions();
    const { invoke } = strictEvents(called, { doubledEvery: 2 });
    const batch = (id: number) => ({ Records: [id] });
    expect([await invoke('f', batch(1)), await invoke('g', batch(2)), await invoke('f', batch(3))]).toEqual([1, 2, 4]);
    expect(called.calls).toEqual([
      ['f', batch(1)],
      ['g', batch(2)],
      ['f', batch(3)],
      ['f', batch(3)],
    ]);
  });

  it('other events come once', async () => {
    const called = functions();
    const { invoke } = strictEvents(called, { doubledEvery: 1 });
    await invoke('f', { source: 'aws.events' });
    expect(called.calls).toHaveLength(1);
  });

  it('an event waits while the account is throttled, and fails when it has waited long enough', async () => {
    const called = functions(2);
    expect(await strictEvents(called).invoke('f', {})).toBe(1);
    await expect(strictEvents(functions(9), { patienceMs: 50 }).invoke('f', {})).rejects.toThrow(Throttled);
  });

  it('an error of the function is not tried again here', async () => {
    const failing = { invoke: () => Promise.reject(new Error('failed')) };
    await expect(strictEvents(failing).invoke('f', { Records: [] })).rejects.toThrow('failed');
  });
});
