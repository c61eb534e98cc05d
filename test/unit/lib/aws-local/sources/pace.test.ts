import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pace } from '../../../../../lib/aws-local/sources/streams/pace.ts';

describe('The pace of a stream', () => {
  let stop: AbortController;
  let pace: Pace;
  beforeEach(() => {
    vi.useFakeTimers();
    stop = new AbortController();
    pace = new Pace(stop.signal);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Whether a rest, begun now, is over after so many milliseconds. */
  async function restedAfter(milliseconds: number, mark = pace.mark()): Promise<boolean> {
    let over = false;
    pace.rest(mark).then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(milliseconds);
    return over;
  }

  it('is slow at rest and quick for a moment after something came', async () => {
    expect(await restedAfter(99)).toBe(false);
    pace.nudge();
    expect(await restedAfter(20)).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(await restedAfter(99)).toBe(false);
    expect(await restedAfter(100)).toBe(true);
  });

  it('does not rest at all when the nudge came during the read', async () => {
    const mark = pace.mark();
    pace.nudge();
    expect(await restedAfter(0, mark)).toBe(true);
  });

  it('ends a rest at a nudge and when it is closed, and leaves no timer', async () => {
    const resting = pace.rest(pace.mark());
    pace.nudge();
    await resting;
    const again = pace.rest(pace.mark());
    stop.abort();
    await again;
    expect(vi.getTimerCount()).toBe(0);
    expect(await restedAfter(0)).toBe(true);
  });
});
