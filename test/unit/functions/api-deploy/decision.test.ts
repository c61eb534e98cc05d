import { describe, expect, it } from 'vitest';
import { commitResultOf, decisionOf } from '../../../../functions/api-deploy/decision.ts';
import { outcomeFields } from '../../../../functions/core/payload/delivery.ts';
import { sha } from '../../../support/entries.ts';
import { build, notice, push } from '../../../support/senders/deliveries.ts';

const travis = { provider: 'travis', check: 'travis' };
const passed = { ...travis, outcome: 'passed', state: 'Passed' };
const failed = { ...travis, outcome: 'failed', state: 'Failed' };

describe('what a delivery asks for', () => {
  it('is a deploy when it is a push to the branch', () => {
    expect(decisionOf(push(), 'master')).toEqual({ deploys: true, reason: null, checkResult: null });
  });

  it('is nothing, and why, when it is a push elsewhere', () => {
    const { deploys, reason, checkResult } = decisionOf(push({ branch: 'work' }), 'master');
    expect({ deploys, checkResult }).toEqual({ deploys: false, checkResult: null });
    expect(reason).toContain('work');
  });

  it('names a branch with its direction marks escaped', () => {
    const { reason } = decisionOf(push({ branch: 'main\u202ex' }), 'main');
    expect(reason).toContain('The branch is main\\u202ex; only the branch main is deployed.');
  });

  it('is a deploy, and settles the commit, when it is a passed build', () => {
    expect(decisionOf(build(), 'master')).toEqual({ deploys: true, reason: null, checkResult: passed });
  });

  it('is nothing, but settles the commit, when it is a failed build', () => {
    const decision = decisionOf(build({ ...outcomeFields('failed'), state: 'Failed' }), 'master');
    expect(decision).toMatchObject({ deploys: false, checkResult: failed });
  });

  it.each(['pending', 'neutral'] as const)('is nothing, but is known of the commit, when a build is %s', (outcome) => {
    const decision = decisionOf(build({ ...outcomeFields(outcome), state: 'So so' }), 'master');
    expect(decision).toMatchObject({ deploys: false, checkResult: { ...travis, outcome, state: 'So so' } });
  });

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
  const said = { sha: sha('a'), ...passed };

  it.each(['master', 'work', null])('is its result, also on the branch %s, which is not deployed', (branch) => {
    expect(commitResultOf(build({ branch }))).toEqual(said);
  });

  it('is that of the head commit when it is of a pull request, as a check beside the one of the branch', () => {
    const check = 'travis (pull request)';
    expect(commitResultOf(build({ pullRequest: true }))).toEqual({ ...said, check });
    const head = { sha: sha('b'), outcome: 'failed' } as const;
    expect(commitResultOf(build({ pullRequest: true, head }))).toEqual({ ...said, check, ...head });
  });

  it('is nothing when its sender names the commit by its first digits', () => {
    expect(commitResultOf(build({ sha: null, shaPrefix: 'aaaaaaa' }))).toBeNull();
  });
});
