import { describe, expect, it } from 'vitest';
import { HOSTS } from '../../support/histories/calls.ts';
import { check } from '../../support/histories/check.ts';
import { histories, widerHistories } from '../../support/histories/history.ts';

const OF_EACH_HOST = 60;
const MOST_STEPS = 10;

/** Of those that thousands have found once (`npm run test:faults -- histories`), with up to 16 steps. */
const FOUND = [
  ['a released commit that is pushed again, and waits then', 51197],
  ['a failed run of a tip whose CI is ignored, and whose push is lost', 51069],
  ['a push that comes late while the host does not know the next one yet', 100122],
  ['a branch that was moved back and forth, and a lost push', 4000776],
  ['a forced push that is lost while a build runs', 4002648],
  ['a push that comes after its commit was found, and removed', 4002836],
  ["a build of a commit that a person's deploy has followed", 4003680],
  ['a burst of pushes that ends where CI has passed', 4004737],
  ['a pull request that is opened after it was closed', 4006475],
  ['a call that opens a pull request of a fork, once more after its end', 5000569],
  ['a call that closes a pull request, after it was reopened', 6001805],
  ['a tip that an older answer of the host has turned back', 6004234],
] as const;

/** The same of the wider ones. */
const FOUND_WIDER = [
  ['a lost push after CI has called for the first time, by the new name of the repository', 201005],
  ['a preview that waits for CI when its repository gets another name', 210197],
  ['a lost push after one whose message skips CI, which the hook waits for', 220137],
  ['two CI systems of a renamed repository, one of which sends no id', 220295],
  ['a push after the first deploy by the new name of a repository, whose CI has called by the former one', 470127],
  ['a branch that is moved back to what CI has passed by the former name of the repository', 231176],
  ['a pull request of a renamed repository whose calls have no id', 231492],
  ['a branch that is moved back to a commit that skips CI, of which an older answer of the host does not know', 230670],
  ['a branch that is moved back to a commit that skips the deploy, by a call without a message', 310154],
  ['a late push, after what was promoted last was taken off the branch', 313572],
  ['a late push, after a rollback', 472218],
  ['a commit that a person lets go while the host does not know the tip yet', 314678],
  ['a branch that comes back, without a call, to a commit whose push came late', 239887],
] as const;

describe('whatever happens to a branch, its pull requests and CI', () => {
  it.each(HOSTS)('%s: the commit is live that they say, and never another one', async (host) => {
    const all = widerHistories(MOST_STEPS, [host]);
    for (let seed = 1; seed <= OF_EACH_HOST; seed += 1) expect((await check(seed, all))?.text ?? '').toBe('');
  });

  it.each(FOUND_WIDER)('%s: history %d', async (_what, seed) => {
    expect((await check(seed, widerHistories(16)))?.text ?? '').toBe('');
  });

  it.each(FOUND)('%s: history %d', async (_what, seed) => {
    expect((await check(seed, histories(16)))?.text ?? '').toBe('');
  });
});
