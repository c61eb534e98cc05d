import { describe, expect, it } from 'vitest';
import { forgejoActions } from '../../../../../functions/adapters/senders/gitea/forgejo-actions.ts';
import { gitea } from '../../../../../functions/adapters/senders/gitea/gitea.ts';
import { giteaActions } from '../../../../../functions/adapters/senders/gitea/gitea-actions.ts';
import { fixture, reader } from '../../../../support/senders/sender-call.ts';

const workflowRun = reader(giteaActions, 'gitea-actions', 'workflow_run');

const run = reader(forgejoActions, 'forgejo-actions', 'run');

describe('a workflow run of Gitea Actions', () => {
  it('passes only with the conclusion success', () => {
    for (const name of ['failure', 'cancelled']) expect(workflowRun(name)).toMatchObject({ outcome: 'failed' });
    expect(workflowRun('skipped')).toMatchObject({ outcome: 'neutral' });
  });

  it('is pending while it waits or runs', () => {
    expect(workflowRun('requested')).toMatchObject({ outcome: 'pending', state: 'queued' });
    expect(workflowRun('in-progress')).toMatchObject({ outcome: 'pending', state: 'in_progress' });
  });

  it('of a tag has no branch', () => {
    expect(workflowRun('tag')).toMatchObject({ branch: null, outcome: 'passed' });
  });

  it('is flagged when it is for a pull request or of a fork', () => {
    expect(workflowRun('pull-request')).toMatchObject({ pullRequest: true, branch: null, head: { outcome: 'passed' } });
    const moved = workflowRun('pull-request', { event: 'pull_request_sync', conclusion: 'failure' });
    expect(moved).toMatchObject({ pullRequest: true, head: { outcome: 'failed' } });
    expect(workflowRun('fork')).toMatchObject({ pullRequest: true, branch: 'main' });
  });

  it('has the name of the workflow or its file as its check', () => {
    const named = (body: Readonly<Record<string, unknown>>) =>
      giteaActions.read(fixture('gitea-actions/success', body))[0];
    expect(named({ workflow: null })).toMatchObject({ check: 'tests.yml' });
    expect(workflowRun('success', { name: 'Lint' })).toMatchObject({ check: 'Lint' });
  });

  it('is skipped by a marker in the title, the only part of the message that is sent', () => {
    const skip = { deploy: true, ci: false, words: '[skip deploy]' };
    expect(workflowRun('success', { display_title: 'Draft [skip deploy]' })).toMatchObject({ skip });
  });

  it('is rejected without a full commit id', () => {
    expect(() => workflowRun('success', { head_sha: '1f7e' })).toThrow(
      /a workflow run of Gitea Actions, but workflow_run/,
    );
  });
});

describe('other CI events of Gitea', () => {
  it('are notices, because a job is part of a run and a status has no branch', () => {
    const job = {
      kind: 'notice',
      provider: 'gitea',
      reason: expect.stringContaining('waits for the event workflow_run'),
    };
    expect(gitea.read(fixture('gitea/workflow-job'))).toMatchObject([job]);
    const status = { kind: 'notice', provider: 'gitea', reason: expect.stringContaining('names no branch') };
    expect(gitea.read(fixture('gitea/status'))).toMatchObject([status]);
  });
});

describe('a run of Forgejo Actions', () => {
  it('passes only with the status success in an event that does not contradict it', () => {
    for (const name of ['failure', 'cancelled']) expect(run(name)).toMatchObject({ outcome: 'failed' });
    expect(run('failure', { status: 'success' })).toMatchObject({ outcome: 'failed' });
    expect(run('success', { status: 'Success' })).toMatchObject({ outcome: 'failed' });
    expect(run('skipped')).toMatchObject({ outcome: 'neutral' });
    expect(run('success', { status: 'running' })).toMatchObject({ outcome: 'pending' });
  });

  it('has one id for both calls of a recovery, and another when it is started again', () => {
    expect(run('recover')).toMatchObject({ outcome: 'passed' });
    expect(run('recover')?.id).toBe(run('success')?.id);
    expect(run('success', { stopped: '2024-01-10T10:00:00Z' })?.id).not.toBe(run('success')?.id);
    expect(run('success', { id: 7701 })?.id).not.toBe(run('success')?.id);
  });

  it('of a tag has no branch, although prettyref does not show that it is a tag', () => {
    expect(run('tag')).toMatchObject({ branch: null, outcome: 'passed' });
  });

  it('is flagged when it is for a pull request', () => {
    expect(run('pull-request')).toMatchObject({ pullRequest: true, outcome: 'neutral', head: { outcome: 'passed' } });
    expect(run('pull-request', { status: 'failure' })).toMatchObject({ head: { outcome: 'failed' } });
    expect(run('pull-request', { is_fork_pull_request: true })).not.toHaveProperty('head');
    expect(run('success', { is_fork_pull_request: true })).toMatchObject({ pullRequest: true });
    expect(run('success', { trigger_event: 'pull_request_target' })).toMatchObject({ pullRequest: true });
    expect(run('success', { prettyref: '#3' })).toMatchObject({ pullRequest: true });
  });

  it('is neutral when nothing says that it was for a commit', () => {
    expect(run('success', { trigger_event: '', event: 'push' })).toMatchObject({ outcome: 'passed' });
    expect(run('success', { trigger_event: null, event: null })).toMatchObject({ outcome: 'neutral' });
  });

  it('has the branch of prettyref when the event payload is missing, invalid or too long', () => {
    expect(run('without-cause')).toMatchObject({ branch: 'main', message: 'Answer on the port that is given' });
    for (const event_payload of ['{', '[]', 'null', '{"ref": 1}', ' '.repeat(1_000_001)]) {
      expect(run('tag', { event_payload })).toMatchObject({ branch: 'v1.0.0' });
    }
  });

  it('is skipped by a marker in any line of the message', () => {
    const event_payload = JSON.stringify({
      ref: 'refs/heads/main',
      head_commit: { message: 'Draft\n\n[skip deploy]' },
    });
    expect(run('success', { event_payload })).toMatchObject({ message: 'Draft', skip: { deploy: true } });
  });

  it('is rejected without a repository, but never for its event payload', () => {
    expect(() => run('success', { repository: null })).toThrow(/a run of Forgejo Actions, but run.repository/);
    expect(run('success', { event_payload: '{"head_commit": {"message": 7}}' })).toMatchObject({ outcome: 'passed' });
  });
});
