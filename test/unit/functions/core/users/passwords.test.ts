import { describe, expect, it } from 'vitest';
import { passwordTurns } from '../../../../../functions/core/users/passwords.ts';

/** Checks that have begun, in their order, each with what ends it. */
function turns() {
  const inTurn = passwordTurns();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const check = (user: string, name: string, door = user) =>
    inTurn({ user, door }, () => {
      begun.push(name);
      return new Promise<string>((end) => ends.set(name, () => end(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { check, begun, end };
}

const throttled = { code: 'request:throttled', retryAfter: 2 };

describe('passwords', () => {
  it('are checked two at a time, in the order in which they came', async () => {
    const { check, begun, end } = turns();
    const all = ['a', 'b', 'c', 'd'].map((name) => check(name, name));
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    const last = check('e', 'e');
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    for (const name of ['c', 'd', 'e']) await end(name);
    expect(await Promise.all([...all, last])).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('of one login are checked one at a time while four wait, and those of others do not wait for them', async () => {
    const { check, begun, end } = turns();
    const all = Array.from({ length: 5 }, (_, number) => check('kiwi', `${number}`));
    await expect(check('kiwi', 'one more')).rejects.toMatchObject(throttled);
    all.push(check('melon', 'other'));
    expect(begun).toEqual(['0', 'other']);
    for (const name of ['other', '0', '1', '2', '3', '4']) await end(name);
    expect(begun).toEqual(['0', 'other', '1', '2', '3', '4']);
    await Promise.all(all);
  });

  it('of the applications of one user wait eight at a time, and after one of another user', async () => {
    const { check, begun, end } = turns();
    const all = Array.from({ length: 10 }, (_, number) => check('kiwi', `${number}`, `shop-${number % 5}`));
    await expect(check('kiwi', 'one more', 'blog')).rejects.toMatchObject(throttled);
    all.push(check('melon', 'other'));
    expect(begun).toEqual(['0', '1']);
    await end('0');
    expect(begun).toEqual(['0', '1', 'other']);
    await end('other');
    expect(begun.slice(3)).toEqual(['2']);
    for (let number = 1; number < 10; number += 1) await end(`${number}`);
    await Promise.all(all);
  });

  it('wait 32 at a time', async () => {
    const { check, end } = turns();
    const all = Array.from({ length: 34 }, (_, number) => check(`user ${number}`, `${number}`));
    await expect(check('somebody', 'one more')).rejects.toMatchObject(throttled);
    for (let number = 0; number < 34; number += 1) await end(`${number}`);
    expect(await Promise.all(all)).toHaveLength(34);
  });

  it('that cannot be checked make room for the next', async () => {
    const inTurn = passwordTurns();
    const kiwi = { user: 'kiwi', door: 'kiwi' };
    const fails = Array.from({ length: 4 }, () => inTurn(kiwi, () => Promise.reject(new Error('no memory'))));
    expect((await Promise.allSettled(fails)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(await inTurn(kiwi, async () => 'right')).toBe('right');
  });
});
