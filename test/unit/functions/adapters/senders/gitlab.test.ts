import { describe, expect, it } from 'vitest';
import { gitlab } from '../../../../../functions/adapters/senders/gitlab/gitlab.ts';
import { gitlabCi } from '../../../../../functions/adapters/senders/gitlab/gitlab-ci.ts';
import type { Delivery } from '../../../../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import {
  after,
  bodyField,
  fixture,
  pushToMain,
  reader,
  repositoryAt,
} from '../../../../support/senders/sender-call.ts';

function push(name: string, changes: Readonly<Record<string, unknown>> = {}): Delivery | undefined {
  return gitlab.read(fixture(`gitlab/${name}`, changes))[0];
}

const pipeline = reader(gitlabCi, 'gitlab-ci', 'object_attributes');

function withoutIds(hook: HookCall): HookCall {
  return { ...hook, headers: { 'x-gitlab-event': 'Pipeline Hook' } };
}

describe('a push of GitLab', () => {
  it('is read with commit, branch, author and a project in a nested group', () => {
    expect(push('push')).toEqual({
      ...pushToMain,
      provider: 'gitlab',
      hostKind: 'gitlab',
      id: '0d5a1c2e-0000-11ee-8000-000000000201',
      repository: { ...repositoryAt('gitlab.com', 'octo-group/tools'), id: '15' },
    });
  });

  it('has no commit when the branch was deleted, with checkout_sha null and after all zeros', () => {
    expect(push('push-deleted-branch')).toMatchObject({ branch: 'next', sha: null, message: null });
    expect(push('tag-push-deleted')).toMatchObject({ branch: null, sha: null });
  });

  it('of a new branch has no commits and no previous commit', () => {
    const expected = { branch: 'feature/x', sha: after, before: null, message: null, author: 'Mona Example' };
    expect(push('push-new-branch')).toMatchObject(expected);
  });

  it('of more than 20 commits has the last one and its message', () => {
    const skip = { deploy: false, ci: true, words: '[skip ci]' };
    const step = (at: number) => ({
      id: at === 50 ? after : `${at}`.repeat(20),
      message: `Step ${at}${at === 50 ? ' [skip ci]' : ''}`,
    });
    const commits = Array.from({ length: 20 }, (_, at) => step(at + 31));
    const of50 = { commits, total_commits_count: 50 };
    expect(push('push', of50)).toMatchObject({ sha: after, message: 'Step 50 [skip ci]', skip });
    expect(push('push', { ...of50, commits: [] })).toMatchObject({ sha: after, message: null, skip: null });
  });

  it('can be of a merge or an empty commit', () => {
    expect(push('push-merge')).toMatchObject({ sha: after, message: "Merge branch 'feature/x' into 'main'" });
    expect(push('push-empty-commit')).toMatchObject({ sha: after, message: 'Deploy again' });
  });

  it('of a tag has no branch and the commit of the tag object', () => {
    expect(push('tag-push')).toMatchObject({ ref: 'refs/tags/v1.0.0', branch: null, sha: after });
  });

  it('has the id that is the same in a retry', () => {
    const hook = fixture('gitlab/push');
    const id = (headers: HookCall['headers']) => gitlab.read({ ...hook, headers })[0]?.id;
    expect(id({ 'x-gitlab-event-uuid': 'event-1' })).toBe('event-1');
    expect(id({ 'x-gitlab-event-uuid': 'event-1', 'idempotency-key': 'key-1' })).toBe('key-1');
    expect(id({})).toBeNull();
  });

  it('is private unless its project is public', () => {
    const project = bodyField(fixture('gitlab/push'), 'project');
    for (const [level, isPrivate] of [
      [0, true],
      [10, true],
      [20, false],
      [undefined, false],
    ] as const) {
      const repository = { private: isPrivate };
      expect(push('push', { project: { ...project, visibility_level: level } })).toMatchObject({ repository });
    }
  });

  it('is rejected when a field that identifies it is missing or invalid', () => {
    const project = bodyField(fixture('gitlab/push'), 'project');
    const refused: [Readonly<Record<string, unknown>>, RegExp][] = [
      [{ ref: undefined }, /but ref is missing/],
      [{ after: 'abc' }, /but after is not a commit/],
      [{ project: null }, /but project is not of the expected type/],
      [{ project: { ...project, path_with_namespace: '../x' } }, /but project is not of a group/],
      [{ project: { ...project, path_with_namespace: 'a//x' } }, /but project is not of a group/],
      [{ project: { ...project, path_with_namespace: 'x' } }, /but project is not of a group/],
    ];
    for (const [changes, detail] of refused) expect(() => push('push', changes)).toThrow(detail);
  });

  it('is a notice for any other event, because GitLab disables a webhook that gets errors', () => {
    const reason = 'The event merge_request of GitLab deploys nothing; the service acts on pushes and pipelines.';
    expect(push('merge-request')).toMatchObject({ kind: 'notice', provider: 'gitlab', reason });
  });
});

describe('a pipeline of GitLab', () => {
  it('passes only with the status success', () => {
    for (const name of ['failed', 'canceled']) expect(pipeline(name)).toMatchObject({ outcome: 'failed' });
    for (const name of ['running', 'manual']) expect(pipeline(name)).toMatchObject({ outcome: 'pending' });
    for (const status of ['created', 'waiting_for_resource', 'preparing', 'pending', 'scheduled', 'canceling']) {
      expect(pipeline('success', { status })).toMatchObject({ outcome: 'pending' });
    }
    for (const status of ['SUCCESS', 'passed', '', 'constructor']) {
      expect(pipeline('success', { status })).toMatchObject({ outcome: 'neutral' });
    }
  });

  it('is neutral when it was skipped', () => {
    expect(pipeline('skipped')).toMatchObject({ outcome: 'neutral' });
  });

  it('is flagged when it is for a merge request, although its ref is the branch', () => {
    expect(pipeline('merge-request')).toMatchObject({ pullRequest: true, branch: 'main' });
    expect(pipeline('success', { source: 'merge_request_event' })).toMatchObject({ pullRequest: true });
    expect(pipeline('success', { ref: 'refs/merge-requests/7/head' })).toMatchObject({ pullRequest: true });
  });

  it('of a tag has no branch', () => {
    expect(pipeline('tag')).toMatchObject({ branch: null });
    expect(pipeline('success', { tag: true })).toMatchObject({ branch: null });
  });

  it('is neutral when it is a child pipeline or consists of external statuses', () => {
    expect(pipeline('child')).toMatchObject({ outcome: 'neutral' });
    expect(pipeline('statuses-from-outside')).toMatchObject({ outcome: 'neutral' });
    for (const source of ['push', 'web', 'api', 'trigger', 'pipeline', null]) {
      expect(pipeline('success', { source })).toMatchObject({ outcome: 'passed' });
    }
  });

  it('without a delivery id has one derived from its content, which changes when a job is retried', () => {
    const id = (hook: HookCall) => gitlabCi.read(withoutIds(hook))[0]?.id;
    const ids = ['success', 'failed', 'running'].map((name) => id(fixture(`gitlab-ci/${name}`)));
    expect(id(fixture('gitlab-ci/success'))).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });
});
