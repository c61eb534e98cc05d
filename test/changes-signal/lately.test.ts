import { describe, expect, it } from 'vitest';
import { Lately } from '../../functions/changes-signal/lately.ts';
import type { Connection } from '../../functions/core/ports/signals.ts';

const some = (...ids: string[]): Connection[] => ids.map((id) => ({ id, side: 'inside' }));

describe('whom a process has told lately', () => {
  it('is known by user, until somebody else takes their place', () => {
    const lately = new Lately();
    expect(lately.of('ann')).toEqual([]);
    lately.keep('ann', some('a1', 'a2'));
    lately.keep('bob', some('b1'));
    lately.keep('ann', some('a3'));
    expect([lately.of('ann'), lately.of('bob')]).toEqual([some('a3'), some('b1')]);
    lately.keep('ann', []);
    expect(lately.of('ann')).toEqual([]);
  });

  it('is forgotten of users about whom nothing was heard for longest, and of crowds', () => {
    const lately = new Lately();
    const crowd = some(...Array.from({ length: 300 }, (_, place) => `c${place}`));
    lately.keep('crowd', crowd);
    expect(lately.of('crowd')).toEqual(crowd.slice(0, 100));
    for (let user = 0; user < 998; user += 1) lately.keep(`user-${user}`, some(`u${user}`));
    lately.keep('crowd', some('c0'));
    lately.keep('user-998', some('u998'));
    lately.keep('user-999', some('u999'));
    expect(['crowd', 'user-0', 'user-1', 'user-999'].map((user) => lately.of(user).length)).toEqual([1, 0, 1, 1]);
  });
});
