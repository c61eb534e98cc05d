import { describe, expect, it } from 'vitest';
import { appveyor } from '../../../../../functions/adapters/senders/appveyor/appveyor.ts';
import { buildkite } from '../../../../../functions/adapters/senders/buildkite/buildkite.ts';
import { circleci } from '../../../../../functions/adapters/senders/circleci/circleci.ts';
import { drone } from '../../../../../functions/adapters/senders/drone/drone.ts';
import { dronePlugin } from '../../../../../functions/adapters/senders/drone/drone-plugin.ts';
import { jenkins } from '../../../../../functions/adapters/senders/jenkins/jenkins.ts';
import { after, fixture, passedBuild, reader, repositoryAt } from '../../../../support/senders/sender-call.ts';

const at = (hostname: string | null, owner: string) => ({ hostname, owner, name: 'hello-deploy' });
const { message, author } = passedBuild;

it.each([
  ['from trigger_parameters.git of CircleCI', circleci, 'success-gitlab', 'gitlab', at('gitlab.com', 'octo-group'), {}],
  [
    'from its checkout_url',
    circleci,
    'gitlab-checkout-url',
    'gitlab',
    at('gitlab.com', 'octo-group'),
    { message, author },
  ],
  ['of the GitHub App', circleci, 'github-app', 'github', at('github.com', 'octo-org'), {}],
  ['of Data Center', circleci, 'bitbucket-data-center', 'any', at('bitbucket.example.org', 'octo'), {}],
  [
    ...(['of Buildkite', buildkite, 'passed', 'github', at('github.com', 'octo-org')] as const),
    { check: 'hello-deploy', url: 'https://buildkite.com/octo/hello-deploy/builds/57' },
  ],
  ['of Jenkins', jenkins, 'finalized', 'github', at('github.com', 'octo-org'), {}],
  ['of Drone', drone, 'success', 'any', at('git.example.org', 'octo-org'), {}],
  ['of its plugin, which sends no host', drone, 'plugin', 'any', at(null, 'octo-org'), {}],
  ['of the newer plugin', dronePlugin, 'success', 'any', at('git.example.org', 'octo-org'), { message, author }],
] as const)(
  'A passed build %s is read with its commit, branch and repository',
  (_what, sender, name, hostKind, repository, more) => {
    const provider = sender === dronePlugin ? 'drone' : sender.id;
    const read = sender.read(fixture(`${sender.id}/${name}`))[0];
    expect(read).toMatchObject({
      provider,
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

  it('is read as a passed build of its commit and branch, from vcs', () => {
    expect(read('success')).toEqual({
      ...passedBuild,
      provider: 'circleci',
      hostKind: 'github',
      id: '0d5a1c2e-0000-11ee-8000-000000000710',
      repository: repositoryAt('github.com', 'octo-org', false),
      check: 'build-and-test',
      checkId: '0d5a1c2e-0000-11ee-8000-000000000703/build-and-test',
      run: Date.parse('2024-01-10T09:12:30Z'),
      state: 'success',
      url: 'https://app.circleci.com/pipelines/github/octo-org/hello-deploy/57/workflows/1',
    });
  });

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

describe('a build of Buildkite', () => {
  const read = reader(buildkite, 'buildkite', 'build');

  it('has not passed while it is blocked, even with the state passed', () => {
    expect(read('blocked')).toMatchObject({ outcome: 'pending', state: 'blocked' });
  });

  it('passes only with the state passed', () => {
    for (const name of ['failed', 'canceled']) expect(read(name)).toMatchObject({ outcome: 'failed' });
    expect(read('skipped')).toMatchObject({ outcome: 'neutral' });
    for (const state of ['blocked', 'canceling', 'constructor'])
      expect(read('passed', { state })).toMatchObject({ outcome: 'pending' });
  });

  it('is flagged when it is for a pull request, and has no branch for a tag', () => {
    expect(read('pull-request')).toMatchObject({ pullRequest: true });
    expect(read('tag')).toMatchObject({ branch: null });
  });

  it('is not of a pull request when that object is empty', () => {
    expect(read('empty-pull-request')).toMatchObject({ pullRequest: false, outcome: 'passed' });
    for (const pull_request of [null, false, '', { id: null }, { id: '', base: null }])
      expect(read('passed', { pull_request }), JSON.stringify(pull_request)).toMatchObject({ pullRequest: false });
    for (const pull_request of [{ id: '7' }, { base: 'main' }, true, '7', 7])
      expect(read('passed', { pull_request }), JSON.stringify(pull_request)).toMatchObject({ pullRequest: true });
  });

  it('has another id when it finishes again after being unblocked or retried', () => {
    const finished_at = '2024-01-10 10:00:00 UTC';
    const ids = [read('passed'), read('blocked'), read('failed'), read('passed', { finished_at })].map(
      (one) => one?.id,
    );
    expect(new Set(ids).size).toBe(4);
    expect(read('passed')?.id).toBe(ids[0]);
  });

  it('has the repository of any form of URL, and a host kind only for public services', () => {
    expect(read('over-https')).toMatchObject({ hostKind: 'gitlab', repository: { owner: 'octo-group/tools' } });
  });

  it('is a notice when it has not finished, or is a ping', () => {
    for (const name of ['running', 'ping']) expect(read(name)).toMatchObject({ kind: 'notice' });
  });
});

describe('a build of AppVeyor', () => {
  const read = reader(appveyor, 'appveyor', 'eventData');

  it('has the first ten digits of its commit as a prefix', () => {
    const repository = { hostname: null, owner: 'octo-org', name: 'hello-deploy' };
    expect(read('success')).toMatchObject({
      provider: 'appveyor',
      hostKind: 'github',
      repository,
      sha: null,
      shaPrefix: after.slice(0, 10),
      outcome: 'passed',
    });
    expect(read('whole-commit')).toMatchObject({ sha: after, shaPrefix: null });
    expect(() => read('success', { commitId: 'xyz' })).toThrow(
      /eventData.commitId is not a full or abbreviated commit id/,
    );
  });

  it('passes when passed and status agree', () => {
    expect(read('failure')).toMatchObject({ outcome: 'failed' });
    expect(read('success', { passed: false })).toMatchObject({ outcome: 'failed' });
    expect(read('success', { status: 'Cancelled' })).toMatchObject({ outcome: 'failed' });
    expect(read('success', { status: 'Running' })).toMatchObject({ outcome: 'pending' });
    expect(read('success', { status: null })).toMatchObject({ outcome: 'passed' });
    expect(read('success', { status: null, passed: null })).toMatchObject({ outcome: 'failed' });
  });

  it('is flagged when it is for a pull request', () => {
    expect(read('pull-request')).toMatchObject({ pullRequest: true });
    expect(read('success', { isPullRequest: 'True' })).toMatchObject({ pullRequest: true });
  });

  it('has the kind of its repository host, or any for other hosts', () => {
    expect(read('bitbucket')).toMatchObject({ hostKind: 'bitbucket' });
    expect(read('success', { repositoryProvider: 'git' })).toMatchObject({ hostKind: 'any' });
    expect(read('success', { repositoryProvider: 'constructor' })).toMatchObject({ hostKind: 'any' });
  });

  it('is skipped by a marker in the extended message', () => {
    expect(read('success', { commitMessageExtended: 'x [skip deploy]' })).toMatchObject({ skip: { deploy: true } });
  });
});

describe('a build of Jenkins', () => {
  const read = reader(jenkins, 'jenkins', 'build');
  const scm = (fields: Readonly<Record<string, unknown>>) => ({
    scm: { url: 'https://github.com/octo-org/hello-deploy.git', branch: 'origin/main', commit: after, ...fields },
  });

  it('has the same id when it is completed and when it is finalized', () => {
    expect(read('completed')?.id).toBe(read('finalized')?.id);
    expect(read('finalized', { number: 58 })?.id).not.toBe(read('finalized')?.id);
    expect(read('finalized', { full_url: 'https://other.example.org/job/x/57/' })?.id).not.toBe(read('finalized')?.id);
  });

  it('is a notice when it was queued or started, with a commit or without', () => {
    for (const name of ['started', 'queued']) expect(read(name)).toMatchObject({ kind: 'notice' });
  });

  it('passes only with the status SUCCESS', () => {
    for (const name of ['failure', 'unstable']) expect(read(name)).toMatchObject({ outcome: 'failed' });
    expect(read('finalized', { status: 'NOT_BUILT' })).toMatchObject({ outcome: 'neutral' });
    for (const status of ['ABORTED', 'success', 'constructor'])
      expect(read('finalized', { status })).toMatchObject({ outcome: 'failed' });
  });

  it('is a notice when it failed before its checkout, and so names no commit', () => {
    expect(read('failure-before-checkout')).toMatchObject({
      kind: 'notice',
      reason: 'The build did not pass: FAILURE.',
    });
  });

  it('has the branch in any form that the git plugin writes', () => {
    const names: [string, string | null][] = [
      ['origin/master', 'master'],
      ['origin/feature/x', 'feature/x'],
      ['refs/remotes/origin/main', 'main'],
      ['refs/heads/main', 'main'],
      ['main', 'main'],
      ['detached', null],
      ['refs/tags/v1', null],
    ];
    for (const [branch, expected] of names)
      expect(read('finalized', scm({ branch })), branch).toMatchObject({ branch: expected });
  });

  it('is flagged when its branch or parameters show a pull request', () => {
    expect(read('pull-request')).toMatchObject({ pullRequest: true });
    expect(read('finalized', { parameters: { ghprbPullId: '7' } })).toMatchObject({ pullRequest: true });
    expect(read('finalized', scm({ branch: 'origin/pr/7/head' }))).toMatchObject({ pullRequest: true });
    for (const branch of ['main', 'pr-tools', 'origin/PR-tools']) {
      expect(read('finalized', scm({ branch }))).toMatchObject({ pullRequest: false });
    }
  });

  it('has the repository of an SSH URL, without its port', () => {
    const repository = { hostname: 'git.example.org', owner: 'octo-org', name: 'hello-deploy' };
    expect(read('over-ssh')).toMatchObject({ hostKind: 'any', repository, branch: 'feature/x' });
    expect(() => read('finalized', scm({ url: '/srv/git/x' }))).toThrow(
      /build.scm.url is not the address of a repository/,
    );
    expect(() => read('finalized', { scm: {} })).toThrow(/build.scm.url is missing/);
  });
});

describe('a build of Drone or Woodpecker', () => {
  const read = reader(drone, 'drone', 'build');

  it('is read from the names of the newer webhook plugin too', () => {
    const plugin = reader(dronePlugin, 'drone-plugin', 'Build');
    expect(plugin('failure')).toMatchObject({ outcome: 'failed' });
    expect(plugin('pull-request')).toMatchObject({ pullRequest: true });
    expect(plugin('tag')).toMatchObject({ branch: null });
    expect(() => plugin('success', { Number: 'x' })).toThrow(/a build of Drone's webhook plugin, but Build.Number/);
  });

  it('passes only with the status success or passing', () => {
    expect(read('success', { status: 'passing' })).toMatchObject({ outcome: 'passed' });
    for (const name of ['failure', 'killed']) expect(read(name)).toMatchObject({ outcome: 'failed' });
    for (const status of ['error', 'declined', 'constructor'])
      expect(read('success', { status })).toMatchObject({ outcome: 'failed' });
    expect(read('running')).toMatchObject({ outcome: 'pending' });
    expect(read('skipped')).toMatchObject({ outcome: 'neutral' });
  });

  it('is flagged for a pull request, has no branch for a tag, and is neutral for a schedule or promotion', () => {
    expect(read('pull-request')).toMatchObject({ pullRequest: true, branch: 'main' });
    expect(read('tag')).toMatchObject({ branch: null });
    expect(read('plugin-tag')).toMatchObject({ branch: null });
    for (const event of ['cron', 'promote', 'rollback'])
      expect(read('success', { event })).toMatchObject({ outcome: 'neutral' });
  });

  it('has an id derived from its content, and is a notice for a user event', () => {
    expect(read('success')?.id).toBe(read('success')?.id);
    expect(new Set([read('success')?.id, read('running')?.id, read('success', { number: 58 })?.id]).size).toBe(3);
    expect(read('user')).toMatchObject({ kind: 'notice' });
  });
});
