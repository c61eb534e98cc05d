import { describe, expect, it } from 'vitest';
import { oneAtATime } from '../../../../lib/page/service/one-at-a-time.ts';

/** A work whose runs end when they are told to. */
function work() {
  const ends: Array<{ readonly resolve: () => void; readonly reject: (error: Error) => void }> = [];
  const run = oneAtATime(() => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })));
  return { ends, run };
}

describe('work that runs once at a time', () => {
  it('runs once more, together for all calls that came while it ran', async () => {
    const { ends, run } = work();
    const first = run();
    const [second, third] = [run(), run()];
    expect([ends.length, second]).toEqual([1, third]);
    ends[0]?.resolve();
    await first;
    // The second run begins after those who waited for the first one; who calls now is in time for it.
    const fourth = run();
    await new Promise(setImmediate);
    expect(ends.length).toBe(2);
    ends[1]?.resolve();
    await Promise.all([second, fourth]);
    expect(ends.length).toBe(2);
  });

  it('runs again after a run that failed, which only its own callers are told', async () => {
    const { ends, run } = work();
    const first = run();
    const second = run();
    ends[0]?.reject(new Error('offline'));
    await expect(first).rejects.toThrow('offline');
    await new Promise(setImmediate);
    ends[1]?.resolve();
    await second;
    const third = run();
    ends[2]?.resolve();
    await third;
    expect(ends.length).toBe(3);
  });
});
