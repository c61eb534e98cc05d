import { describe, expect, it } from 'vitest';
import { bitbucket } from '../../../../../functions/adapters/senders/bitbucket/bitbucket.ts';
import { bitbucketPipelines } from '../../../../../functions/adapters/senders/bitbucket/bitbucket-pipelines.ts';
import {
  after,
  before,
  bodyField,
  fixture,
  pushToMain,
  reader,
  repositoryAt,
} from '../../../../support/senders/sender-call.ts';

const read = (name: string, changes = {}) => bitbucket.read(fixture(`bitbucket/${name}`, changes));

const status = reader(bitbucketPipelines, 'bitbucket-pipelines', 'commit_status');

describe('a push of Bitbucket', () => {
  it('is read with commit, branch, repository and author', () => {
    expect(read('push')).toEqual([
      {
        ...pushToMain,
        provider: 'bitbucket',
        hostKind: 'bitbucket',
        id: '0d5a1c2e-0000-11ee-8000-000000000401',
        repository: {
          ...repositoryAt('bitbucket.org', 'octo-team'),
          id: '{0d5a1c2e-0000-11ee-8000-0000000005fe}',
        },
      },
    ]);
  });

  it('with several changes becomes a delivery for each', () => {
    const names = ['push', 'push-new-branch', 'push-deleted-branch', 'push-tag', 'push-forced'];
    const changes = names.flatMap((name) => bodyField(fixture(`bitbucket/${name}`), 'push').changes);
    expect(read('push', { push: { changes } })).toMatchObject([
      { branch: 'main', sha: after, before, forced: false },
      { branch: 'feature/x', sha: after, before: null },
      { branch: 'main', sha: null, before },
      { branch: null, ref: 'refs/tags/v1.0.0', sha: after },
      { branch: 'main', sha: after, forced: true },
    ]);
  });

  it('has no commit when new is null because the branch was deleted', () => {
    expect(read('push-deleted-branch')).toMatchObject([{ branch: 'main', sha: null, before, message: null }]);
  });

  it('has no previous commit for a new branch, no branch for a tag, and a flag when it was forced', () => {
    expect(read('push-new-branch')).toMatchObject([{ branch: 'feature/x', before: null }]);
    expect(read('push-tag')).toMatchObject([{ branch: null, ref: 'refs/tags/v1.0.0' }]);
    expect(read('push-forced')).toMatchObject([{ branch: 'main', forced: true }]);
  });

  it('has the target as its commit when the list is truncated or it is a merge', () => {
    expect(read('push-of-50-commits')).toMatchObject([{ sha: after, message: 'Step 50', skip: { deploy: true } }]);
    expect(read('push-merge')).toMatchObject([{ message: 'Merged in feature/x (pull request #7)' }]);
  });

  it('has the same id in every attempt', () => {
    const hook = fixture('bitbucket/push');
    const again = { ...hook, headers: { ...hook.headers, 'x-attempt-number': '2' } };
    expect(bitbucket.read(again)).toEqual(bitbucket.read(hook));
  });

  it('without an id of its sender has one of its content', () => {
    const push = { changes: [{ new: null, old: { type: 'branch', name: 'main', target: { hash: before } } }] };
    const [first, again, other] = [
      read('push-without-headers'),
      read('push-without-headers'),
      read('push-without-headers', { push }),
    ];
    expect(first[0]?.id).toMatch(/^push-[\da-f]{32}$/);
    expect(again[0]?.id).toBe(first[0]?.id);
    expect(other[0]?.id).not.toBe(first[0]?.id);
  });

  it('is read without its previous commit when the old side is unreadable', () => {
    const { changes } = bodyField(fixture('bitbucket/push'), 'push');
    const [change] = changes as readonly { readonly old: object }[];
    for (const old of [
      '?',
      { type: 'branch' },
      { ...change?.old, name: '..' },
      { ...change?.old, target: { hash: '?' } },
    ])
      expect(read('push', { push: { changes: [{ ...change, old }] } })).toMatchObject([{ sha: after, before: null }]);
    const deleted = { new: null, old: { ...change?.old, target: null } };
    expect(read('push', { push: { changes: [deleted] } })).toMatchObject([{ branch: 'main', sha: null, before: null }]);
  });

  it('is a notice when it has no changes or is another event', () => {
    expect(read('push-nothing')).toMatchObject([{ kind: 'notice', reason: expect.stringMatching(/no change/) }]);
    expect(read('fork')).toMatchObject([{ kind: 'notice', repository: { name: 'hello-deploy' } }]);
  });

  it('is rejected when a change is invalid, when there are more than 250, and when it is of Data Center', () => {
    const change = { new: null, old: null };
    expect(() => read('push', { push: { changes: [change] } })).toThrow(/push.changes.0 has neither new nor old/);
    expect(() => read('push', { push: { changes: Array(251).fill(change) } })).toThrow(/are more than 250/);
    const hook = { ...fixture('bitbucket/push'), headers: { 'x-event-key': 'repo:refs_changed' } };
    expect(() => bitbucket.read(hook)).toThrow(/Data Center/);
  });
});

describe('a build status of Bitbucket', () => {
  it('passes only with the state SUCCESSFUL', () => {
    for (const name of ['failed', 'stopped']) expect(status(name)).toMatchObject({ outcome: 'failed' });
    expect(status('in-progress')).toMatchObject({ outcome: 'pending' });
    for (const state of ['successful', 'OK', '', 'constructor'])
      expect(status('successful', { state })).toMatchObject({ outcome: 'neutral' });
  });

  it('has the commit in links.commit.href when there is no other', () => {
    expect(status('commit-by-link')).toMatchObject({ sha: after, outcome: 'passed' });
    const links = { commit: { href: 'https://api.bitbucket.org/2.0/commit/latest' } };
    expect(() => status('commit-by-link', { links })).toThrow(/commit_status names no commit/);
  });

  it('without refname has no branch', () => {
    expect(status('without-refname')).toMatchObject({ branch: null });
  });

  it("is a notice when it is the service's own, which prevents an endless loop", () => {
    expect(status('own')).toMatchObject({ kind: 'notice', provider: 'bitbucket-pipelines' });
  });
});
