import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alarm } from '../../../../lib/engine/alarm.ts';

const MONTH = 31 * 24 * 3_600_000;

describe('an alarm', () => {
  beforeEach(() => vi.useFakeTimers({ now: 0 }));
  afterEach(() => vi.useRealTimers());

  const counted = (next: () => number | null) => {
    const times: number[] = [];
    const failures: unknown[] = [];
    const work = async () => {
      times.push(Date.now());
      return next();
    };
    return { times, failures, ...alarm(work, Date.now, (error) => failures.push(error)) };
  };

  it('runs its work at the earliest time that was asked for, and then when the work says', async () => {
    const next = [5_000, null];
    const { times, at } = counted(() => next.shift() ?? null);
    at(3_000);
    at(1_000);
    at(2_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times).toEqual([1_000, 5_000]);
  });

  it('sets no timer while nothing is due', () => {
    const { at } = counted(() => null);
    at(Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for longer than a timer can', async () => {
    const { times, at } = counted(() => null);
    at(MONTH);
    await vi.advanceTimersByTimeAsync(MONTH - 1);
    expect(times).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(times).toEqual([MONTH]);
  });

  it('does not forget what was asked for during its work', async () => {
    const times: number[] = [];
    const one = alarm(
      async () => {
        times.push(Date.now());
        if (times.length === 1) one.at(Date.now() + 10);
        await new Promise((resolve) => setTimeout(resolve, 100));
        return null;
      },
      Date.now,
      () => {},
    );
    one.at(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(times).toEqual([0, expect.closeTo(100, -1)]);
  });

  it('goes on at once with what has become due, and pauses before what its work has left as it was', async () => {
    const next = [1_500, 1_500, null];
    const { times, at } = counted(() => next.shift() ?? null);
    at(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(times).toEqual([1_000]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times).toEqual([1_000, 1_500, 6_500]);
  });

  it('runs work that has failed again after a pause, and tells why', async () => {
    const next = [new Error('The log cannot be read.'), null];
    const { times, failures, at } = counted(() => {
      const [one] = next.splice(0, 1);
      if (one instanceof Error) throw one;
      return null;
    });
    at(1_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times).toEqual([1_000, 6_000]);
    expect(failures).toEqual([new Error('The log cannot be read.')]);
  });

  it('is silent after its end', async () => {
    const { times, at, stop } = counted(() => null);
    at(10);
    stop();
    at(5);
    await vi.advanceTimersByTimeAsync(100);
    expect(times).toEqual([]);
  });
});
