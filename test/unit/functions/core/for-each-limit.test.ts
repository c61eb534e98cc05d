import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forEachLimit, mapLimit } from '../../../../functions/core/concurrency.ts';

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

describe('mapLimit', () => {
  it('returns the results in the order of the items, with at most the limit in progress', async () => {
    let inProgress = 0;
    let most = 0;
    const results = await mapLimit([5, 1, 4, 2, 3], 2, async (item) => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      await sleep(item);
      inProgress -= 1;
      return item * 10;
    });
    expect([results, most]).toEqual([[50, 10, 40, 20, 30], 2]);
    expect(await mapLimit([], 2, async () => expect.unreachable())).toEqual([]);
  });

  it('rejects with the first failure, after which no other item begins', async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      await sleep(1);
      throw new Error(`No ${item}.`);
    };
    await expect(mapLimit([1, 2, 3, 4, 5], 2, work)).rejects.toThrow('No 1.');
    await sleep(10);
    expect(begun).toEqual([1, 2]);
  });
});
