import { describe, expect, it } from 'vitest';
import { crashes } from '../../../../lib/runner/crashes.ts';
import { RUNNER_LIMITS } from '../../../../lib/runner/settings.ts';

describe('crashes', () => {
  it('crashes double the pauses, from one second to at most a minute', () => {
    const count = crashes({ ...RUNNER_LIMITS, crashLimit: 100 });
    const pauses = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => count.record(at * 1000));
    expect(pauses.map((verdict) => ('retryAfterMs' in verdict ? verdict.retryAfterMs : 0))).toEqual(
      [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000),
    );
  });

  it('five crashes within a minute end the restarts', () => {
    const count = crashes(RUNNER_LIMITS);
    const verdicts = [0, 10, 20, 30, 59].map((second) => count.record(second * 1000));
    expect(verdicts.map((verdict) => 'givenUp' in verdict)).toEqual([false, false, false, false, true]);
  });

  it('crashes further apart do not end the restarts', () => {
    const count = crashes(RUNNER_LIMITS);
    const verdicts = [0, 200, 400, 600, 800, 1000].map((second) => count.record(second * 1000));
    expect(verdicts).toEqual(verdicts.map(() => ({ retryAfterMs: 1000 })));
  });

  it('crashes before a requested start do not count', () => {
    const count = crashes(RUNNER_LIMITS);
    for (let second = 0; second < 4; second++) count.record(second * 1000);
    count.reset();
    expect(count.record(5_000)).toEqual({ retryAfterMs: 1000 });
  });
});
