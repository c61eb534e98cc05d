import { describe, expect, it } from 'vitest';
import { crashes } from '../../../../lib/platform/run/crashes.ts';
import { defaultLimits } from '../../../../lib/platform/settings.ts';

describe('crashes', () => {
  it('make the pauses longer, from one second to a minute at most', () => {
    const count = crashes({ ...defaultLimits, crashLimit: 100 });
    const pauses = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => count.record(at * 1000));
    expect(pauses.map((verdict) => ('retryAfterMs' in verdict ? verdict.retryAfterMs : 0))).toEqual(
      [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000),
    );
  });

  it('end the restarts when there are five within a minute', () => {
    const count = crashes(defaultLimits);
    const verdicts = [0, 10, 20, 30, 59].map((second) => count.record(second * 1000));
    expect(verdicts.map((verdict) => 'givenUp' in verdict)).toEqual([false, false, false, false, true]);
  });

  it('do not add up over a long time', () => {
    const count = crashes(defaultLimits);
    const verdicts = [0, 200, 400, 600, 800, 1000].map((second) => count.record(second * 1000));
    expect(verdicts).toEqual(verdicts.map(() => ({ retryAfterMs: 1000 })));
  });

  it('are forgotten by a fresh start', () => {
    const count = crashes(defaultLimits);
    for (let second = 0; second < 4; second++) count.record(second * 1000);
    count.reset();
    expect(count.record(5_000)).toEqual({ retryAfterMs: 1000 });
  });
});
