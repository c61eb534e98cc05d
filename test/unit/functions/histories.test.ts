import { describe, expect, it } from 'vitest';
import { HOSTS } from '../../support/histories/calls.ts';
import { check } from '../../support/histories/check.ts';
import { histories } from '../../support/histories/history.ts';

const OF_EACH_HOST = 60;
const MOST_STEPS = 10;

describe('whatever happens to a branch, its pull requests and CI', () => {
  it.each(HOSTS)('%s: the commit is live that they say, and never another one', async (host) => {
    const all = histories(MOST_STEPS, [host]);
    for (let seed = 1; seed <= OF_EACH_HOST; seed += 1) expect((await check(seed, all))?.text ?? '').toBe('');
  });
});
