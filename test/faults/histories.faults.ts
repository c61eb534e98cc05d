import { describe, expect, it } from 'vitest';
import { check } from '../support/histories/check.ts';
import { widerHistories } from '../support/histories/history.ts';
import { budget } from './budget.ts';

const { seed, histories: most } = budget;
const all = widerHistories(16);

describe(`histories, SEED=${seed} COUNT=${most}`, () => {
  it('end with the commit live that the branch and its CI say, and never show another one', async () => {
    const failures: string[] = [];
    for (let count = 0; count < most; count += 1) {
      const failure = await check(seed + count, all);
      if (!failure) continue;
      failures.push(failure.kind);
      console.log(failure.text);
    }
    console.log(`histories, SEED=${seed}: ${failures.length} of ${most} failed`);
    expect(failures).toEqual([]);
  });
});
