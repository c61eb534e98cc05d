import { describe, expect, it } from 'vitest';
import { RecentConnections } from '../../../../functions/changes-signal/recent-connections.ts';
import type { Connection } from '../../../../functions/core/ports/connections.ts';

const some = (...ids: string[]): Connection[] => ids.map((id) => ({ id, side: 'inside' }));

describe('whom a process has told lately', () => {
  it('is known by user, until somebody else takes their place', () => {
    const recent = new RecentConnections();
    expect(recent.of('ann')).toEqual([]);
    recent.keep('ann', some('a1', 'a2'));
    recent.keep('bob', some('b1'));
    recent.keep('ann', some('a3'));
    expect([recent.of('ann'), recent.of('bob')]).toEqual([some('a3'), some('b1')]);
    recent.keep('ann', []);
    expect(recent.of('ann')).toEqual([]);
  });

  it('is forgotten of users about whom nothing was heard for longest, and of crowds', () => {
    const recent = new RecentConnections();
    const crowd = some(...Array.from({ length: 300 }, (_, place) => `c${place}`));
    recent.keep('crowd', crowd);
    expect(recent.of('crowd')).toEqual(crowd.slice(0, 100));
    for (let user = 0; user < 998; user += 1) recent.keep(`user-${user}`, some(`u${user}`));
    recent.keep('crowd', some('c0'));
    recent.keep('user-998', some('u998'));
    recent.keep('user-999', some('u999'));
    expect(['crowd', 'user-0', 'user-1', 'user-999'].map((user) => recent.of(user).length)).toEqual([1, 0, 1, 1]);
  });
});
