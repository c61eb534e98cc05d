import { describe, expect, it } from 'vitest';
import { lookAt } from '../../../../lib/engine/conditions.ts';
import { AT } from '../../../support/entries.ts';

const GB = 1024 ** 3;
const DAY_MS = 24 * 60 * 60_000;

const token = (days: number | null, app = '*') => ({
  ...{ host: 'github', app, login: 'octocat', scopes: [], sealed: '' },
  expiresAt: days === null ? null : new Date(AT + days * DAY_MS).toISOString(),
});

type Parts = Parameters<typeof lookAt>[0];

async function told(
  free: number,
  tokens: readonly ReturnType<typeof token>[] = [],
  { total = 100 * GB, failing = [] }: { total?: number; failing?: Awaited<ReturnType<Parts['failing']>> } = {},
) {
  const all: Parameters<Parts['tell']>[0][] = [];
  await lookAt({
    ...{ dataDir: '/', now: () => AT, users: async () => ['ann', 'bob'] },
    tokens: { list: async (user) => (user === 'bob' ? tokens : []) },
    space: async () => ({ total, free }),
    tell: async (one) => void all.push(one),
    failing: async () => failing,
  });
  return all;
}

describe('What is looked at', () => {
  it.each([
    [1.9 * GB, 100 * GB, 'crashed'],
    [3 * GB, 100 * GB, null],
    [5 * GB, 100 * GB, 'running'],
    [0.15 * GB, 4 * GB, 'crashed'],
    [0.5 * GB, 4 * GB, 'running'],
  ])('is a disk with %i bytes free of %i: %s', async (free, total, state) => {
    const states = (await told(free, [], { total })).map((one) => [one.user, one.state]);
    expect(states).toEqual(state === null ? [] : [['ann', state]]);
  });

  it('are tokens of hosts that end within two weeks, and those that do not', async () => {
    const tokens = await told(3 * GB, [token(13), token(13, 'shop'), token(15), token(null), token(-1)]);
    expect(tokens.map(({ state }) => state)).toEqual(['crashed', 'crashed', 'running', 'running', 'crashed']);
    expect(tokens[1]).toMatchObject({ user: 'bob', about: 'The token of octocat at github for shop' });
    expect(tokens[1]?.reason).toContain('"hooks pair github --login octocat --app shop"');
  });

  it('are tokens that were told of and removed', async () => {
    const about = 'The token of octocat at github for blog';
    const failing = [
      { user: 'ann', about },
      { user: 'bob', about },
      { user: 'ann', about: 'The disk of the data folder' },
    ];
    const all = await told(3 * GB, [token(13, 'blog')], { failing });
    expect(all.map(({ user, state }) => [user, state])).toEqual([
      ['bob', 'crashed'],
      ['ann', 'running'],
    ]);
    expect(all[1]?.reason).toBe(`${about} was removed.`);
  });
});
