import { describe, expect, it } from 'vitest';
import { branchNamed, buildDeployable, deployable } from '../../../../../functions/core/payload/branch.ts';
import type { BuildResult, Push } from '../../../../../functions/core/payload/delivery.ts';
import { build as aBuild, push as aPush } from '../../../../support/senders/deliveries.ts';

const push = aPush();
const build = aBuild();

const howToDeploy = (branch: string) =>
  ` To deploy ${branch}, put ?${new URLSearchParams({ branch })} into the webhook's address, or make it the default branch: of the service, or of the repository where the service hosts it.`;

describe('a push', () => {
  it('deploys when its message asks to skip only CI', () => {
    const skip = { deploy: false, ci: true, words: '[skip ci]' };
    expect(deployable({ ...push, skip }, 'master')).toEqual({ deploy: true });
  });

  it('names a branch that is not valid Unicode as far as possible', () => {
    const decision = deployable({ ...push, branch: 'x\ud800' }, 'master');
    expect(decision).toMatchObject({ deploy: false, reason: expect.stringContaining('?branch=x%EF%BF%BD') });
  });

  it('deploys when it moves the wanted branch to a commit', () => {
    expect(deployable(push, 'master')).toEqual({ deploy: true });
    expect(deployable({ ...push, ref: 'refs/heads/feature/x', branch: 'feature/x' }, 'feature/x')).toEqual({
      deploy: true,
    });
  });

  const refused: [string, Partial<Push>, string][] = [
    [
      'another branch',
      { branch: 'next', ref: 'refs/heads/next' },
      `The branch is next; only the branch master is deployed.${howToDeploy('next')}`,
    ],
    [
      'a branch that differs in case',
      { branch: 'Master' },
      `The branch is Master; only the branch master is deployed.${howToDeploy('Master')}`,
    ],
    [
      'a branch that ends alike',
      { branch: 'x/master' },
      `The branch is x/master; only the branch master is deployed.${howToDeploy('x/master')}`,
    ],
    [
      'another branch that was deleted',
      { branch: 'next', sha: null },
      'The branch is next; only the branch master is deployed.',
    ],
    ['a tag', { branch: null, ref: 'refs/tags/v1' }, 'v1 is a tag; only the branch master is deployed.'],
    [
      'a tag named like the branch',
      { branch: null, ref: 'refs/tags/master' },
      'master is a tag; only the branch master is deployed.',
    ],
    [
      'a note',
      { branch: null, ref: 'refs/notes/x' },
      'refs/notes/x is not a branch; only the branch master is deployed.',
    ],
    ['the deleted branch', { sha: null }, 'The branch master was deleted.'],
    [
      'a commit that asks not to be deployed',
      { skip: { deploy: true, ci: false, words: '[skip deploy]' } },
      "The commit's message says [skip deploy].",
    ],
  ];
  for (const [what, difference, reason] of refused) {
    it(`does not deploy ${what}, and says so`, () => {
      expect(deployable({ ...push, ...difference }, 'master')).toEqual({ deploy: false, reason });
    });
  }
});

describe('a build', () => {
  it('deploys when it passed on the wanted branch', () => {
    expect(buildDeployable(build, 'master')).toEqual({ deploy: true });
  });

  const refused: [string, Partial<BuildResult>, string][] = [
    [
      'a pull request, though its branch is the wanted one',
      { pullRequest: true },
      'A build of a pull request is never deployed.',
    ],
    [
      'another branch',
      { branch: 'next' },
      `The branch is next; only the branch master is deployed.${howToDeploy('next')}`,
    ],
    ['a tag', { branch: null }, 'The build is not of a branch; only the branch master is deployed.'],
    ['a failed build', { outcome: 'failed', state: 'Broken' }, 'The build did not pass: Broken.'],
    ['a build under way', { outcome: 'pending', state: 'Pending' }, 'The build has not finished: Pending.'],
    [
      'a build that was skipped',
      { outcome: 'neutral', state: 'skipped' },
      'The build says nothing about the commit: skipped.',
    ],
    [
      'a commit that asks not to be deployed',
      { skip: { deploy: true, ci: false, words: '[skip deploy]' } },
      "The commit's message says [skip deploy].",
    ],
  ];
  for (const [what, difference, reason] of refused) {
    it(`does not deploy ${what}, and says so`, () => {
      expect(buildDeployable({ ...build, ...difference }, 'master')).toEqual({ deploy: false, reason });
    });
  }
});

it.each(['main', 'feature/a.b', 'v1.2', 'a@b', 'ü', 'refs/heads/main'])('%s is the name of a branch', (name) => {
  expect(branchNamed(name, 'ref')).toBe(name.replace('refs/heads/', ''));
});

it.each(['..', '.', 'a/../b', 'a/./b', '/a', 'a/', 'a//b', '.a', 'a.', 'a..b', 'a@{b', 'a b', '', 'refs/heads/..'])(
  '"%s" is not the name of a branch',
  (name) => {
    expect(() => branchNamed(name, 'ref')).toThrow('The parameter ref is not the name of a branch.');
  },
);
