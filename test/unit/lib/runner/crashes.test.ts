import { describe, expect, it } from 'vitest';
import { RUNNER_LIMITS } from '../../../../lib/runner/settings.ts';
import { afterCrash, type CrashEnd, NO_CRASHES } from '../../../../lib/runner/start/crashes.ts';

const { crashWindowMs, overrunWindowMs } = RUNNER_LIMITS;

/** Returns what each of these crashes in a row leads to. */
function after(ends: readonly (number | CrashEnd)[]) {
  let crashes = NO_CRASHES;
  return ends.map((end) => {
    const counted = afterCrash(crashes, typeof end === 'number' ? { ranMs: end, tooLarge: false } : end, RUNNER_LIMITS);
    crashes = counted.crashes;
    return counted;
  });
}

describe('crashes', () => {
  it('in a row double the pauses, from one second to a minute, without an end', () => {
    const pauses = after(Array.from({ length: 2_000 }, () => crashWindowMs)).map(({ pauseMs }) => pauseMs);
    expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
    expect(new Set(pauses.slice(6))).toEqual(new Set([60_000]));
  });

  it('five in a row are a loop, also when each start takes its whole time', () => {
    const loops = after([0, crashWindowMs, 0, 1, 0, 0]).map(({ crashes }) => crashes.loop);
    expect(loops).toEqual([null, null, null, null, 'inARow', 'inARow']);
  });

  it('one that has run for longer than a minute begins anew', () => {
    expect(after([...Array(9).fill(0), crashWindowMs + 1]).at(-1)).toMatchObject({
      pauseMs: 1000,
      crashes: { inARow: 1 },
    });
  });

  it('ends for too much memory are counted apart: three in an hour are a loop', () => {
    const overrun = { ranMs: overrunWindowMs, tooLarge: true };
    const loops = after([0, 0, 0, overrun, overrun, 0, overrun]).map(({ crashes }) => crashes.loop);
    expect(loops).toEqual([null, null, null, null, null, null, 'overruns']);
  });
});
