import { describe, expect, it } from 'vitest';
import { expectedCi } from '../../../../functions/api-deploy/decision.ts';
import { outcomeFields } from '../../../../functions/core/payload/delivery.ts';
import { AT, MINUTE } from '../../../support/entries.ts';
import { build, notice, push } from '../../../support/senders/deliveries.ts';

const until = AT + 90 * 24 * 60 * MINUTE;

describe('a CI provider is to be expected', () => {
  it.each(['passed', 'failed', 'pending'] as const)('for 90 days after a build of the branch that is %s', (outcome) => {
    const expected = expectedCi(build(outcomeFields(outcome)), { branch: 'master' }, AT);
    expect(expected).toEqual({ track: 'master', provider: 'travis', until });
  });

  it('when the ping says that the hook brings its results, and not any more when it says that it does not', () => {
    expect(expectedCi(notice({ bringsCi: true }), { branch: 'main' }, AT)).toEqual({
      track: 'main',
      provider: 'github',
      until,
    });
    expect(expectedCi(notice({ bringsCi: false }), { branch: 'main' }, AT)?.until).toBeNull();
  });

  it('for the application in the folder of its hook only', () => {
    const expected = expectedCi(build(), { branch: 'master', path: 'packages/web' }, AT);
    expect(expected).toEqual({ track: 'master:packages/web', provider: 'travis', until });
  });

  it.each([
    ['a push', push()],
    ['a notice that does not say', notice()],
    ['a build of a pull request', build({ pullRequest: true })],
    ['a build of a merge queue', build({ mergeQueue: true })],
    ['a build of another branch', build({ branch: 'work' })],
    ['a run that tested nothing', build(outcomeFields('neutral'))],
  ])('not after %s', (_what, delivery) => {
    expect(expectedCi(delivery, { branch: 'master' }, AT)).toBeNull();
  });
});
