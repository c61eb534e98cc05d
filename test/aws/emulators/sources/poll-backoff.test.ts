import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PollBackoff } from '../../../aws-local/sources/streams/streams.ts';

describe('PollBackoff', () => {
  let stop: AbortController;
  let backoff: PollBackoff;
  beforeEach(() => {
    vi.useFakeTimers();
    stop = new AbortController();
    backoff = new PollBackoff(stop.signal);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Whether a pause that begins now has ended after so many milliseconds. */
  async function hasEndedAfter(milliseconds: number, version = backoff.version()): Promise<boolean> {
    let ended = false;
    backoff.wait(version).then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(milliseconds);
    return ended;
  }

  it('a pause is 100 ms long, and 20 ms for a moment after a wake', async () => {
    expect(await hasEndedAfter(99)).toBe(false);
    backoff.wake();
    expect(await hasEndedAfter(20)).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(await hasEndedAfter(99)).toBe(false);
    expect(await hasEndedAfter(100)).toBe(true);
  });

  it('there is no pause after a wake during the read', async () => {
    const version = backoff.version();
    backoff.wake();
    expect(await hasEndedAfter(0, version)).toBe(true);
  });

  it('a pause ends at a wake and at the close, and leaves no timer', async () => {
    const first = backoff.wait(backoff.version());
    backoff.wake();
    await first;
    const second = backoff.wait(backoff.version());
    stop.abort();
    await second;
    expect(vi.getTimerCount()).toBe(0);
    expect(await hasEndedAfter(0)).toBe(true);
  });
});
