import { describe, expect, it } from 'vitest';
import { commitResultOf, decisionOf, expectedCi } from '../../../../functions/api-deploy/decision.ts';
import { AT, MINUTE, sha } from '../../../support/entries.ts';
import { build, notice, push } from '../../../support/senders/deliveries.ts';

const travis = { provider: 'travis', check: 'travis' };

describe('what a delivery asks for', () => {
  it('names a branch with its direction marks escaped', () => {
    const { reason } = decisionOf(push({ branch: 'main\u202ex' }), 'main');
    expect(reason).toContain('The branch is main\\u202ex; only the branch main is deployed.');
  });

  it.each(['passed', 'failed', 'pending', 'neutral'] as const)(
    'is known of the commit when a build is %s',
    (outcome) => {
      const decision = decisionOf(build({ outcome, state: 'So so' }), 'master');
      const checkResult = { ...travis, outcome, state: 'So so' };
      expect(decision).toMatchObject({ deploys: outcome === 'passed', checkResult });
    },
  );

  it.each([
    ['a build of a pull request', build({ pullRequest: true })],
    ['a build of another branch', build({ branch: 'work' })],
    ['a build of no branch', build({ branch: null })],
    ['a ping', notice()],
  ])('is nothing, and settles nothing, when it is %s', (_what, delivery) => {
    expect(decisionOf(delivery, 'master')).toMatchObject({
      deploys: false,
      checkResult: null,
      reason: expect.any(String),
    });
  });
});

describe('what a build says of its commit for previews', () => {
  const said = { sha: sha('a'), ...travis, outcome: 'passed', state: 'Passed' };

  it.each(['master', 'work', null])('is its result, also on the branch %s, which is not deployed', (branch) => {
    expect(commitResultOf(build({ branch }))).toEqual(said);
  });

  it('is that of the head commit when it is of a pull request, as a check beside the one of the branch', () => {
    const check = 'travis (pull request)';
    expect(commitResultOf(build({ pullRequest: true }))).toEqual({ ...said, check });
    const head = { sha: sha('b'), outcome: 'failed' } as const;
    expect(commitResultOf(build({ pullRequest: true, head }))).toEqual({ ...said, check, ...head });
  });
});

describe('a CI provider is to be expected', () => {
  const until = AT + 90 * 24 * 60 * MINUTE;
  const expected = { track: 'master', provider: 'travis', until };

  it.each([
    ['after a build that passed', build(), {}, expected],
    ['after a build that failed', build({ outcome: 'failed' }), {}, expected],
    ['after a build that has only begun', build({ outcome: 'pending' }), {}, expected],
    ['for the folder of its hook', build(), { path: 'packages/web' }, { ...expected, track: 'master:packages/web' }],
    ['when the ping says so', notice({ bringsCi: true }), {}, { ...expected, provider: 'github' }],
    [
      'no more when the ping says so',
      notice({ bringsCi: false }),
      {},
      { ...expected, provider: 'github', until: null },
    ],
    ['not after a push', push(), {}, null],
    ['not after a notice that does not say', notice(), {}, null],
    ['not after a build of a pull request', build({ pullRequest: true }), {}, null],
    ['not after a build of a merge queue', build({ mergeQueue: true }), {}, null],
    ['not after a build of another branch', build({ branch: 'work' }), {}, null],
    ['not after a run that tested nothing', build({ outcome: 'neutral' }), {}, null],
  ])('%s', (_what, delivery, hook, result) => {
    expect(expectedCi(delivery, { branch: 'master', ...hook }, AT)).toEqual(result);
  });
});
