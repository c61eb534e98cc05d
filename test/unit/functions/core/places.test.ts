import { describe, expect, it, vi } from 'vitest';
import { Places, turnsByUser } from '../../../../functions/core/places.ts';

/** Returns who gets the next places, when each of them is given back by that user before. */
function served(places: Places<string>, count: number): string[] {
  const users: string[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const next = places.take();
    if (!next) break;
    users.push(next.user);
    places.free(next.user);
  }
  return users;
}

/** Returns how often work looks something up in maps. */
function countedLookUps(work: () => void): number {
  const { get } = Map.prototype;
  let count = 0;
  Map.prototype.get = function (key: unknown) {
    count += 1;
    return get.call(this, key);
  };
  try {
    work();
  } finally {
    Map.prototype.get = get;
  }
  return count;
}

describe('Places', () => {
  it('have one place change hands after each piece of work', () => {
    const places = new Places<string>(1);
    for (const user of ['bob', 'bob', 'bob', 'ann', 'ann', 'eve']) places.add(user, user);
    expect(served(places, 6)).toEqual(['bob', 'ann', 'eve', 'bob', 'ann', 'bob']);
  });

  it('go to the user who has the fewest', () => {
    const places = new Places<number>(4);
    for (let work = 0; work < 10; work += 1) places.add('bob', work);
    for (let place = 0; place < 4; place += 1) expect(places.take()?.user).toBe('bob');
    expect(places.take()).toBeNull();
    for (const user of ['ann', 'ann', 'eve']) places.add(user, 0);
    const next = ['bob', 'bob', 'bob'].map((user) => {
      places.free(user);
      return places.take()?.user;
    });
    expect(next).toEqual(['ann', 'eve', 'bob']);
  });

  it('say in which order those who wait get one', () => {
    const places = new Places<string>(1);
    for (const work of ['bob 1', 'bob 2', 'bob 3', 'bob 4', 'ann 1', 'ann 2']) places.add(work.slice(0, 3), work);
    places.take();
    expect(places.inOrder()).toEqual(['ann 1', 'bob 2', 'ann 2', 'bob 3', 'bob 4']);
  });

  it('are given out in as many steps beside 2,000 who wait as beside two', () => {
    const steps = (users: number, ofEach: number) => {
      const places = new Places<number>(4);
      for (let work = 0; work < users * ofEach; work += 1) places.add(`user ${work % users}`, work);
      for (let place = 0; place < 4; place += 1) places.take();
      places.free('user 0');
      return countedLookUps(() => places.take());
    };
    expect(steps(1, 2_000)).toBe(steps(1, 6));
    expect(steps(1_000, 2)).toBeLessThanOrEqual(steps(4, 2) + 8);
  });

  it('are given back by work that fails, and once by work that leaves before it ends', async () => {
    const turns = turnsByUser(1);
    await expect(turns('bob', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const begun: string[] = [];
    let end = () => {};
    const first = turns('bob', (leave) => {
      leave();
      return new Promise<void>((resolve) => (end = resolve));
    });
    const others = ['ann', 'eve'].map((user) =>
      turns(user, async () => {
        begun.push(user);
        await new Promise(() => {});
      }),
    );
    await vi.waitFor(() => expect(begun).toEqual(['ann']));
    end();
    await first;
    expect(begun).toEqual(['ann']);
    expect(others).toHaveLength(2);
  });
});
