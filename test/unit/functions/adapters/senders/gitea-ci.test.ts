import { describe, expect, it } from 'vitest';
import { forgejoActions } from '../../../../../functions/adapters/senders/gitea/forgejo-actions.ts';
import { gitea } from '../../../../../functions/adapters/senders/gitea/gitea.ts';
import { giteaActions } from '../../../../../functions/adapters/senders/gitea/gitea-actions.ts';
import { bodyField, fixture } from '../../../../support/sender-call.ts';

const after = '1f7e6d5c4b3a29180f1e2d3c4b5a69788796a5b4';

function workflowRun(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  const workflow_run = { ...bodyField(fixture(`gitea-actions/${name}`), 'workflow_run'), ...fields };
  return giteaActions.read(fixture(`gitea-actions/${name}`, { workflow_run }))[0];
}

function run(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  const changed = { ...bodyField(fixture(`forgejo-actions/${name}`), 'run'), ...fields };
  return forgejoActions.read(fixture(`forgejo-actions/${name}`, { run: changed }))[0];
}

describe('a workflow run of Gitea Actions', () => {
  it('says which commit of which branch passed', () => {
    expect(workflowRun('success')).toEqual({
      kind: 'build',
      provider: 'gitea-actions',
      hostKind: 'gitea',
      id: '0d5a1c2e-0000-11ee-8000-000000000700',
      repository: expect.objectContaining({ hostname: 'git.example.org', owner: 'octo-org', name: 'hello-deploy' }),
      sha: after,
      shaPrefix: null,
      branch: 'main',
      check: 'Tests',
      outcome: 'passed',
      passed: true,
      pending: false,
      state: 'success',
      pullRequest: false,
      message: 'Answer on the port that is given',
      author: null,
      skip: null,
      url: 'https://git.example.org/octo-org/hello-deploy/actions/runs/57',
    });
  });

  it('passes by the conclusion success alone', () => {
    for (const name of ['failure', 'cancelled']) expect(workflowRun(name)).toMatchObject({ outcome: 'failed' });
    expect(workflowRun('skipped')).toMatchObject({ outcome: 'neutral', passed: false });
  });

  it('that waits or goes on is pending', () => {
    expect(workflowRun('requested')).toMatchObject({ outcome: 'pending', state: 'queued', passed: false });
    expect(workflowRun('in-progress')).toMatchObject({ outcome: 'pending', state: 'in_progress', passed: false });
  });

  it('of a tag is of no branch', () => {
    expect(workflowRun('tag')).toMatchObject({ branch: null, passed: true });
  });

  it('for a pull request, or of a fork, is flagged', () => {
    expect(workflowRun('pull-request')).toMatchObject({ pullRequest: true, branch: null });
    expect(workflowRun('fork')).toMatchObject({ pullRequest: true, branch: 'main' });
  });

  it('on a schedule has tested no commit: neutral', () => {
    expect(workflowRun('schedule')).toMatchObject({ outcome: 'neutral', passed: false });
  });

  it('goes by the name of the workflow, or of its file, so that several are told apart', () => {
    const named = (body: Readonly<Record<string, unknown>>) =>
      giteaActions.read(fixture('gitea-actions/success', body))[0];
    expect(named({ workflow: null })).toMatchObject({ check: 'tests.yml' });
    expect(workflowRun('success', { name: 'Lint' })).toMatchObject({ check: 'Lint' });
  });

  it('is asked not to be deployed in the title, the part of the message that is sent', () => {
    const skip = { deploy: true, ci: false, words: '[skip deploy]' };
    expect(workflowRun('success', { display_title: 'Draft [skip deploy]' })).toMatchObject({ skip });
  });

  it('is refused without a whole commit', () => {
    expect(() => workflowRun('success', { head_sha: '1f7e' })).toThrow(
      /a workflow run of Gitea Actions, but workflow_run/,
    );
  });
});

describe('other words of Gitea about CI', () => {
  it('are notices: a job is a part of a run, and a status names no branch', () => {
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
  it('says which commit of which branch passed, with the whole message of what set it off', () => {
    expect(run('success')).toEqual({
      kind: 'build',
      provider: 'forgejo-actions',
      hostKind: 'gitea',
      id: expect.stringMatching(/^run-[\da-f]{32}$/),
      repository: expect.objectContaining({ hostname: 'codeberg.org', owner: 'octo-org', name: 'hello-deploy' }),
      sha: after,
      shaPrefix: null,
      branch: 'main',
      check: 'tests.yml',
      outcome: 'passed',
      passed: true,
      pending: false,
      state: 'success',
      pullRequest: false,
      message: 'Answer on the port that is given',
      author: 'Mona Example',
      skip: null,
      url: 'https://codeberg.org/octo-org/hello-deploy/actions/runs/57',
    });
  });

  it('passes by the status success alone, in an event that does not say otherwise', () => {
    for (const name of ['failure', 'cancelled']) expect(run(name)).toMatchObject({ outcome: 'failed', passed: false });
    expect(run('failure', { status: 'success' })).toMatchObject({ outcome: 'failed' });
    expect(run('success', { status: 'Success' })).toMatchObject({ outcome: 'failed' });
    expect(run('skipped')).toMatchObject({ outcome: 'neutral' });
    expect(run('success', { status: 'running' })).toMatchObject({ outcome: 'pending' });
  });

  it('that recovers is told twice and is one result; started again it is another', () => {
    expect(run('recover')).toMatchObject({ outcome: 'passed' });
    expect(run('recover')?.id).toBe(run('success')?.id);
    expect(run('success', { stopped: '2024-01-10T10:00:00Z' })?.id).not.toBe(run('success')?.id);
    expect(run('success', { id: 7701 })?.id).not.toBe(run('success')?.id);
  });

  it('of a tag is of no branch, though the ref that is shown does not tell', () => {
    expect(run('tag')).toMatchObject({ branch: null, outcome: 'passed' });
  });

  it('for a pull request is flagged', () => {
    expect(run('pull-request')).toMatchObject({ pullRequest: true, passed: false });
    expect(run('success', { is_fork_pull_request: true })).toMatchObject({ pullRequest: true });
    expect(run('success', { trigger_event: 'pull_request_target' })).toMatchObject({ pullRequest: true });
    expect(run('success', { prettyref: '#3' })).toMatchObject({ pullRequest: true });
  });

  it('on a schedule has tested no commit: neutral', () => {
    expect(run('schedule')).toMatchObject({ outcome: 'neutral', passed: false });
    expect(run('success', { trigger_event: '', event: 'push' })).toMatchObject({ outcome: 'passed' });
    expect(run('success', { trigger_event: null, event: null })).toMatchObject({ outcome: 'neutral' });
  });

  it('has the branch that is shown when what set it off is not told, is none, or is too long', () => {
    expect(run('without-cause')).toMatchObject({ branch: 'main', message: 'Answer on the port that is given' });
    for (const event_payload of ['{', '[]', 'null', '{"ref": 1}', ' '.repeat(1_000_001)]) {
      expect(run('tag', { event_payload })).toMatchObject({ branch: 'v1.0.0' });
    }
  });

  it('is asked not to be deployed by any line of the message', () => {
    const event_payload = JSON.stringify({
      ref: 'refs/heads/main',
      head_commit: { message: 'Draft\n\n[skip deploy]' },
    });
    expect(run('success', { event_payload })).toMatchObject({ message: 'Draft', skip: { deploy: true } });
  });

  it('is refused without a repository, and never for its event payload', () => {
    expect(() => run('success', { repository: null })).toThrow(/a run of Forgejo Actions, but run.repository/);
    expect(run('success', { event_payload: '{"head_commit": {"message": 7}}' })).toMatchObject({ outcome: 'passed' });
  });
});
