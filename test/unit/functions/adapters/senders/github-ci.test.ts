import { describe, expect, it } from 'vitest';
import { githubActions } from '../../../../../functions/adapters/senders/github/github-actions.ts';
import { githubChecks } from '../../../../../functions/adapters/senders/github/github-checks.ts';
import { githubStatus } from '../../../../../functions/adapters/senders/github/github-status.ts';
import { bodyField, fixture, reader } from '../../../../support/senders/sender-call.ts';

const after = '1f7e6d5c4b3a29180f1e2d3c4b5a69788796a5b4';

const run = reader(githubActions, 'github-actions', 'workflow_run');

const suite = reader(githubChecks, 'github-checks', 'check_suite');

const status = (name: string, changes = {}) => githubStatus.read(fixture(`github-status/${name}`, changes));

describe('a workflow run of GitHub Actions', () => {
  it('passes only with the conclusion success', () => {
    for (const name of ['failure', 'cancelled']) expect(run(name)).toMatchObject({ outcome: 'failed' });
    for (const conclusion of ['timed_out', 'startup_failure', 'SUCCESS', 'constructor']) {
      expect(run('success', { conclusion })).toMatchObject({ outcome: 'failed' });
    }
  });

  it('is pending when it has completed without a conclusion or with action_required', () => {
    expect(run('no-conclusion')).toMatchObject({ outcome: 'pending' });
    expect(run('action-required')).toMatchObject({ outcome: 'pending', state: 'action_required' });
    expect(run('requested')).toMatchObject({ outcome: 'pending', state: 'queued' });
  });

  it('is neutral when it was skipped', () => {
    expect(run('skipped')).toMatchObject({ outcome: 'neutral' });
  });

  it('is flagged when it is for a pull request', () => {
    expect(run('pull-request')).toMatchObject({ pullRequest: true, outcome: 'neutral', branch: 'main' });
    expect(run('success', { event: 'pull_request_target' })).toMatchObject({ pullRequest: true });
  });

  it('of a merge queue counts for the branch that the queue pushes to when it passes, and says nothing else', () => {
    const queued = { event: 'merge_group', head_branch: `gh-readonly-queue/release/2.0/pr-4-${after}` };
    const passed = { pullRequest: false, branch: 'release/2.0', mergeQueue: true, outcome: 'passed' };
    expect(run('success', queued)).toMatchObject(passed);
    // Workflows without a filter of branches run for the push of the queue's branch as well.
    expect(run('success', { ...queued, event: 'push' })).toMatchObject(passed);
    expect(run('failure', queued)).toMatchObject({ branch: 'release/2.0', outcome: 'neutral', state: 'failure' });
    const fork = run('success', { ...queued, head_repository: { full_name: 'mallory/hello-deploy' } });
    expect(fork).toMatchObject({ pullRequest: true, branch: queued.head_branch });
    expect(run('success', { head_branch: 'gh-readonly-queue/main' })).not.toHaveProperty('mergeQueue');
  });

  it('tells of the head commit of its pull request, which its own outcome does not, unless that is of a fork', () => {
    const { head_sha: sha } = bodyField(fixture('github-actions/pull-request'), 'workflow_run');
    expect(run('pull-request')).toMatchObject({ head: { sha, outcome: 'passed' } });
    expect(run('pull-request', { conclusion: 'failure' })).toMatchObject({ head: { outcome: 'failed' } });
    expect(run('requested', { event: 'pull_request' })).toMatchObject({ head: { outcome: 'pending' } });
    const fork = { head_repository: { full_name: 'mallory/hello-deploy' } };
    for (const told of [fork, { event: 'pull_request_target' }, { event: 'merge_group' }, { event: 'push' }]) {
      expect(run('pull-request', told)).not.toHaveProperty('head');
    }
  });

  it('is flagged when it is of a fork, whatever its event and branch', () => {
    expect(run('fork')).toMatchObject({ pullRequest: true, branch: 'main' });
    expect(run('success', { head_repository: { full_name: 'Octo-Org/Hello-Deploy' } })).toMatchObject({
      pullRequest: false,
    });
  });

  it('is neutral when it was not triggered for a commit', () => {
    for (const event of ['issues', 'issue_comment', 'workflow_run', 'dynamic', 'release']) {
      expect(run('success', { event })).toMatchObject({ outcome: 'neutral' });
    }
    expect(run('success', { event: 'workflow_dispatch' })).toMatchObject({ outcome: 'passed' });
  });

  it('is rejected without a full commit id', () => {
    expect(() => run('success', { head_sha: '1f7e' })).toThrow(/workflow_run.head_sha is not a commit of 40 or 64/);
  });
});

describe('a check suite of GitHub', () => {
  it('passes only with the conclusion success', () => {
    expect(suite('failure')).toMatchObject({ outcome: 'failed' });
    expect(suite('neutral')).toMatchObject({ outcome: 'neutral' });
    for (const conclusion of ['skipped', 'stale'])
      expect(suite('success', { conclusion })).toMatchObject({ outcome: 'neutral' });
    expect(suite('success', { conclusion: null })).toMatchObject({ outcome: 'pending' });
  });

  it('without check runs is a notice, because it never finishes', () => {
    expect(suite('without-runs')).toMatchObject({ kind: 'notice' });
    expect(suite('success', { latest_check_runs_count: 0 })).toMatchObject({ kind: 'notice' });
  });

  it('is a notice when it has not completed, is of GitHub Actions, or is only a check run', () => {
    for (const name of ['requested', 'of-actions']) expect(suite(name)).toMatchObject({ kind: 'notice' });
    expect(githubChecks.read(fixture('github-checks/run'))).toMatchObject([{ kind: 'notice' }]);
  });

  it('of a fork has no branch', () => {
    expect(suite('fork')).toMatchObject({ branch: null });
  });
});

describe('a commit status of GitHub', () => {
  it('is a build for each branch that contains the commit', () => {
    expect(status('several-branches')).toMatchObject([{ branch: 'feature/x' }, { branch: 'main' }]);
    expect(status('no-branch')).toMatchObject([{ branch: null, outcome: 'passed' }]);
    const branches = Array.from({ length: 50 }, (_, at) => ({ name: `branch-${at}` }));
    expect(status('success', { branches })).toHaveLength(10);
  });

  it('passes only with the state success', () => {
    for (const name of ['failure', 'error']) expect(status(name)).toMatchObject([{ outcome: 'failed' }]);
    expect(status('pending')).toMatchObject([{ outcome: 'pending' }]);
    expect(status('success', { state: 'constructor' })).toMatchObject([{ outcome: 'failed' }]);
  });

  it("is a notice when it is the service's own, which prevents an endless loop", () => {
    expect(status('own')).toMatchObject([{ kind: 'notice', reason: expect.stringMatching(/service's own/) }]);
    expect(status('success', { context: 'Deployment-Webhooks/x' })).toMatchObject([{ kind: 'notice' }]);
    expect(status('success', { context: 'deployment-webhooks' })).toMatchObject([{ kind: 'build' }]);
  });
});
