import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../lib/platform/http/fair-queue.ts';

const stays = () => new AbortController().signal;

/** A queue whose jobs end by hand, and the names of those that have begun. */
function setUp() {
  const queue = new FairQueue();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = async (key: string, name: string, signal = stays()) =>
    queue.run(key, signal, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  const endAll = async () => {
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { add, begun, endAll };
}

describe('jobs that wait for each other', () => {
  it('run two at a time, and take turns by key', async () => {
    const { add, begun, endAll } = setUp();
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'].map((name) => add(name.slice(0, 1), name));
    expect(begun).toEqual(['a1', 'a2']);
    await endAll();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'a5']);
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('are refused beyond four of one key, and beyond 32', async () => {
    const { add, begun, endAll } = setUp();
    const ofOne = Array.from({ length: 8 }, (_, at) => add('a', `a${at}`));
    expect((await Promise.allSettled([ofOne[6], ofOne[7]])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    const ofMany = Array.from({ length: 40 }, (_, at) => add(`k${at}`, `k${at}`));
    await expect(ofMany[39]).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2 });
    const settled = Promise.allSettled([...ofOne, ...ofMany]);
    await endAll();
    await settled;
    expect(begun).toHaveLength(2 + 32);
  });

  it('are dropped when their client leaves, and their places are free again', async () => {
    const { add, begun, endAll } = setUp();
    const leaves = new AbortController();
    const first = [add('a', 'a1'), add('a', 'a2')];
    const dropped = Array.from({ length: 4 }, (_, at) => add('a', `gone${at}`, leaves.signal));
    leaves.abort();
    await Promise.allSettled(dropped);
    const last = add('a', 'a3');
    await endAll();
    await Promise.all([...first, last]);
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });

  it('leave their place to the next when they fail', async () => {
    const queue = new FairQueue();
    const fails = () => queue.run('a', stays(), () => Promise.reject(new Error('no')));
    await Promise.allSettled([fails(), fails(), fails()]);
    expect(await queue.run('a', stays(), async () => 'done')).toBe('done');
  });
});
