import { describe, expect, it } from 'vitest';
import { RUNNER_LIMITS } from '../../../../lib/runner/settings.ts';
import { crashes } from '../../../../lib/runner/start/crashes.ts';

const { crashWindowMs } = RUNNER_LIMITS;

describe('crashes', () => {
  it('crashes in a row double the pauses, from one second to a minute, without an end', () => {
    const count = crashes(RUNNER_LIMITS);
    const pauses = Array.from({ length: 2_000 }, () => count.record(crashWindowMs).pauseMs);
    expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
    expect(new Set(pauses.slice(6))).toEqual(new Set([60_000]));
  });

  it('five in a row are a loop, also when each start takes its whole time', () => {
    const count = crashes(RUNNER_LIMITS);
    const retries = [0, crashWindowMs, 0, 1, 0, 0].map((ranMs) => count.record(ranMs).isLoop);
    expect(retries).toEqual([false, false, false, false, true, true]);
  });

  it('one that has run for longer than a minute begins anew', () => {
    const count = crashes(RUNNER_LIMITS);
    for (let times = 0; times < 9; times++) count.record(0);
    expect(count.record(crashWindowMs + 1)).toEqual({ pauseMs: 1000, isLoop: false });
  });

  it('crashes before a requested start do not count', () => {
    const count = crashes(RUNNER_LIMITS);
    for (let times = 0; times < 9; times++) count.record(0);
    count.reset();
    expect(count.record(0)).toEqual({ pauseMs: 1000, isLoop: false });
  });
});
