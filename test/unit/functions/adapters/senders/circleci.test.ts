import { describe, expect, it } from 'vitest';
import { circleci } from '../../../../../functions/adapters/senders/circleci/circleci.ts';
import { after, fixture, passedBuild, reader } from '../../../../support/senders/sender-call.ts';

const at = (hostname: string | null, owner: string) => ({ hostname, owner, name: 'hello-deploy' });
const { message, author } = passedBuild;

it.each([
  ['from trigger_parameters.git', 'success-gitlab', 'gitlab', at('gitlab.com', 'octo-group'), {}],
  ['from its checkout_url', 'gitlab-checkout-url', 'gitlab', at('gitlab.com', 'octo-group'), { message, author }],
  ['of the GitHub App', 'github-app', 'github', at('github.com', 'octo-org'), {}],
  ['of Data Center', 'bitbucket-data-center', 'any', at('bitbucket.example.org', 'octo'), {}],
] as const)(
  'A passed build of CircleCI, %s, is read with its commit, branch and repository',
  (_what, name, hostKind, repository, more) => {
    const read = circleci.read(fixture(`circleci/${name}`))[0];
    expect(read).toMatchObject({
      provider: 'circleci',
      hostKind,
      repository,
      sha: after,
      branch: 'main',
      outcome: 'passed',
      ...more,
    });
  },
);

describe('a workflow of CircleCI', () => {
  const read = reader(circleci, 'circleci', 'workflow');

  it('passes only with the status success', () => {
    for (const name of ['failed', 'canceled']) expect(read(name)).toMatchObject({ outcome: 'failed' });
    for (const status of ['error', 'unauthorized'])
      expect(read('success', { status })).toMatchObject({ outcome: 'failed' });
    for (const status of ['SUCCESS', 'constructor'])
      expect(read('success', { status })).toMatchObject({ outcome: 'neutral' });
  });

  it('is flagged when it is of a fork or a merge request, and has no branch for a tag', () => {
    expect(read('fork')).toMatchObject({ pullRequest: true });
    expect(read('merge-request')).toMatchObject({ pullRequest: true });
    expect(read('github-app-pull-request')).toMatchObject({ pullRequest: true });
    expect(read('tag')).toMatchObject({ branch: null });
  });

  it('has the id of the body, which is the same when it is sent twice', () => {
    expect(read('success')?.id).toBe(read('success')?.id);
    expect(circleci.read(fixture('circleci/success', { id: 'another' }))[0]?.id).toBe('another');
  });

  it('is a notice when it is only a job, and rejected without a commit', () => {
    expect(read('job')).toMatchObject({ kind: 'notice' });
    const pipeline = { id: 'x', number: 1 };
    expect(() => circleci.read(fixture('circleci/success', { pipeline }))).toThrow(/pipeline names no commit/);
  });
});
