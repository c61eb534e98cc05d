import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forEachLimit } from '../../../../functions/core/concurrency.ts';

describe('forEachLimit', () => {
  it('begins every item in order, with at most the limit in progress', async () => {
    const begun: number[] = [];
    let inProgress = 0;
    let most = 0;
    await forEachLimit([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      begun.push(item);
      inProgress += 1;
      most = Math.max(most, inProgress);
      await sleep(item % 2);
      inProgress -= 1;
    });
    expect([begun, most, inProgress]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3, 0]);
  });

  it('does nothing for no items', async () => {
    await forEachLimit([], 3, async () => expect.unreachable());
  });
});
