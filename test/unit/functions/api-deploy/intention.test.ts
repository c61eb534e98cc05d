import { describe, expect, it } from 'vitest';
import { intentionOf } from '../../../../functions/api-deploy/intention.ts';
import { settled } from '../../../../functions/core/payload/delivery.ts';
import { build, notice, push } from '../../../support/deliveries.ts';

const travis = { provider: 'travis', check: 'travis' };
const passed = { ...travis, outcome: 'passed', state: 'Passed' };
const failed = { ...travis, outcome: 'failed', state: 'Failed' };

describe('what a delivery asks for', () => {
  it('is a deploy when it is a push to the branch', () => {
    expect(intentionOf(push(), 'master')).toEqual({ deploys: true, reason: null, outcome: null });
  });

  it('is nothing, and why, when it is a push elsewhere', () => {
    const { deploys, reason, outcome } = intentionOf(push({ branch: 'work' }), 'master');
    expect({ deploys, outcome }).toEqual({ deploys: false, outcome: null });
    expect(reason).toContain('work');
  });

  it('is a deploy, and settles the commit, when it is a passed build', () => {
    expect(intentionOf(build(), 'master')).toEqual({ deploys: true, reason: null, outcome: passed });
  });

  it('is nothing, but settles the commit, when it is a failed build', () => {
    const intention = intentionOf(build({ ...settled('failed'), state: 'Failed' }), 'master');
    expect(intention).toMatchObject({ deploys: false, outcome: failed });
  });

  it.each(['pending', 'neutral'] as const)('is nothing, but is known of the commit, when a build is %s', (outcome) => {
    const intention = intentionOf(build({ ...settled(outcome), state: 'So so' }), 'master');
    expect(intention).toMatchObject({ deploys: false, outcome: { ...travis, outcome, state: 'So so' } });
  });

  it.each([
    ['a build of a pull request', build({ pullRequest: true })],
    ['a build of another branch', build({ branch: 'work' })],
    ['a build of no branch', build({ branch: null })],
    ['a ping', notice()],
  ])('is nothing, and settles nothing, when it is %s', (_what, delivery) => {
    expect(intentionOf(delivery, 'master')).toMatchObject({
      deploys: false,
      checkResult: null,
      reason: expect.any(String),
    });
  });
});
