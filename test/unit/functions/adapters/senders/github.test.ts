import { describe, expect, it } from 'vitest';
import { github } from '../../../../../functions/adapters/senders/github/github.ts';
import type { Delivery } from '../../../../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import { after, bodyField, fixture, pushToMain, repositoryAt } from '../../../../support/senders/sender-call.ts';

const zeros = '0'.repeat(40);

function read(hook: HookCall): Delivery | undefined {
  return github.read(hook)[0];
}

function withRepository(changes: Readonly<Record<string, unknown>>): HookCall {
  const hook = fixture('github/push');
  return fixture('github/push', { repository: { ...bodyField(hook, 'repository'), ...changes } });
}

describe('a push of GitHub', () => {
  it('is read with commit, branch, repository and author', () => {
    expect(github.read(fixture('github/push'))).toEqual([
      {
        ...pushToMain,
        provider: 'github',
        hostKind: 'github',
        id: '0d5a1c2e-0000-11ee-8000-000000000001',
        repository: { ...repositoryAt('github.com', 'octo-org', false), id: '501' },
      },
    ]);
  });

  it('has no id of its repository when the sender has none, or an odd one', () => {
    for (const id of [undefined, null, 1.5, {}, '', '../7', 'x'.repeat(65)]) {
      expect(read(withRepository({ id }))?.repository).not.toHaveProperty('id');
    }
  });

  it('has the commit in after, even if head_commit is another one', () => {
    expect(read(fixture('github/push-older-commit'))).toMatchObject({ sha: after, forced: true });
  });

  it('keeps the slashes of a branch', () => {
    expect(read(fixture('github/push-slash-branch'))).toMatchObject({
      branch: 'feature/x',
      ref: 'refs/heads/feature/x',
    });
  });

  it('has no previous commit for a new branch and no commit for a deleted one', () => {
    expect(read(fixture('github/push-new-branch'))).toMatchObject({ branch: 'next', sha: after, before: null });
    expect(read(fixture('github/push-deleted-branch'))).toMatchObject({ branch: 'next', sha: null, message: null });
    expect(read(fixture('github/push', { deleted: true }))).toMatchObject({ sha: null });
    expect(read(fixture('github/push', { after: zeros }))).toMatchObject({ sha: null });
  });

  it('has no branch when a tag or a note was pushed', () => {
    expect(read(fixture('github/push-tag'))).toMatchObject({ ref: 'refs/tags/v1.0.0', branch: null, sha: after });
    expect(read(fixture('github/push', { ref: 'refs/notes/commits' }))).toMatchObject({ branch: null });
  });

  it('has the host name of GitHub Enterprise and the visibility of the repository', () => {
    const repository = { hostname: 'git.example.org', private: true };
    expect(read(fixture('github/push-private-enterprise'))).toMatchObject({ repository });
  });

  it('takes the owner from full_name, else from owner.login, else from owner.name', () => {
    expect(read(withRepository({ owner: null }))).toMatchObject({ repository: { owner: 'octo-org' } });
    const owner = { login: 'login', name: 'name' };
    expect(read(withRepository({ full_name: null, owner }))).toMatchObject({ repository: { owner: 'login' } });
    expect(read(withRepository({ full_name: null, owner: { name: 'name' } }))).toMatchObject({
      repository: { owner: 'name' },
    });
  });

  it('can have a SHA-256 commit id, which is converted to lower case', () => {
    expect(read(fixture('github/push', { after: 'AB'.repeat(32) }))).toMatchObject({ sha: 'ab'.repeat(32) });
  });

  it('has a truncated message and author without control characters and direction marks', () => {
    const message = `\u001b[31mred\u0007 \u202etxt ${'long '.repeat(100)}\nsecond line`;
    const hook = fixture('github/push', { head_commit: { message, author: { name: ' Mo\u0000na\r\nX' } } });
    const push = read(hook);
    expect(push).toMatchObject({ author: 'Mo na', message: expect.stringMatching(/^\[31mred txt long .*…$/) });
    expect(Array.from(push?.kind === 'push' ? (push.message ?? '') : '').length).toBeLessThanOrEqual(200);
  });

  it('has no URL that a browser would execute, and no credentials in it', () => {
    expect(read(withRepository({ html_url: 'javascript:alert(1)', url: null }))).toMatchObject({
      repository: { url: null, hostname: 'github.com' },
    });
    const repository = { url: 'https://github.com/o/r', hostname: 'github.com' };
    expect(read(withRepository({ html_url: 'https://user:secret@github.com/o/r' }))).toMatchObject({ repository });
  });

  it('is skipped by a marker anywhere in the message of its head commit', () => {
    const hook = fixture('github/push', { head_commit: { message: 'Docs\n\nOnly words. [skip deploy]' } });
    expect(read(hook)).toMatchObject({ message: 'Docs', skip: { deploy: true, ci: false, words: '[skip deploy]' } });
  });

  it('has no id when the header is missing or invalid', () => {
    const hook = fixture('github/push');
    for (const delivery of [undefined, '', 'a b', '#', 'x'.repeat(200)]) {
      expect(read({ ...hook, headers: { ...hook.headers, 'x-github-delivery': delivery } })).toMatchObject({
        id: null,
      });
    }
  });

  const refused: [string, HookCall, RegExp][] = [
    ['no ref', fixture('github/push', { ref: undefined }), /but ref is missing/],
    ['no after', fixture('github/push', { after: undefined }), /but after is missing/],
    ['a short commit', fixture('github/push', { after: 'abc' }), /but after is not a commit of 40 or 64 hex digits/],
    ['a ref with ..', fixture('github/push', { ref: 'refs/heads/../../x' }), /but ref is not a name that git allows/],
    ['a ref with a line break', fixture('github/push', { ref: 'refs/heads/a\nb' }), /but ref is not a name/],
    ['a bare branch', fixture('github/push', { ref: 'main' }), /but ref does not start with refs/],
    ['no repository', fixture('github/push', { repository: undefined }), /but repository is missing/],
    ['a repository named ..', withRepository({ name: '..' }), /but repository.name contains other characters/],
    ['a repository with a slash', withRepository({ name: 'a/b' }), /but repository.name contains other characters/],
    [
      'an owner named ..',
      withRepository({ full_name: '../hello-deploy', owner: null }),
      /repository has no owner with a valid name/,
    ],
    ['an owner with a slash', withRepository({ full_name: 'a/b/hello-deploy' }), /repository has no owner/],
    ['no owner', withRepository({ full_name: null, owner: {} }), /repository has no owner/],
  ];
  for (const [what, hook, detail] of refused) {
    it(`is rejected with ${what}, and the error names the field`, () => {
      expect(() => github.read(hook)).toThrow(
        expect.objectContaining({ code: 'deploy:provider:not_supported', detail: expect.stringMatching(detail) }),
      );
    });
  }
});

describe('another event of GitHub', () => {
  it('has a flag in the ping for whether the webhook sends CI results', () => {
    const ping = fixture('github/ping');
    const withEvents = (events: string[]) => ({ ...ping, body: { ...(ping.body as object), hook: { events } } });
    expect(github.read(withEvents(['push', 'workflow_run']))).toMatchObject([{ bringsCi: true }]);
    expect(github.read(withEvents(['*']))).toMatchObject([{ bringsCi: true }]);
    expect(github.read(withEvents(['push']))).toMatchObject([{ bringsCi: false }]);
  });

  it('is a notice when it is the ping', () => {
    expect(github.read(fixture('github/ping'))).toEqual([
      {
        kind: 'notice',
        bringsCi: false,
        provider: 'github',
        id: '0d5a1c2e-0000-11ee-8000-000000000008',
        repository: expect.objectContaining({ owner: 'octo-org', name: 'hello-deploy', hostname: 'github.com' }),
        reason: 'The ping of GitHub has arrived: the webhook works.',
      },
    ]);
  });

  it('says in the ping that a webhook without pushes never deploys', () => {
    expect(read(fixture('github/ping-without-push'))).toMatchObject({
      reason: expect.stringMatching(/not set to send pushes/),
    });
  });

  it('is a notice that names the event, with or without a repository', () => {
    const reason = 'The event issues deploys nothing; the service acts on pushes and CI results.';
    expect(read(fixture('github/issues'))).toMatchObject({ kind: 'notice', repository: { owner: 'octo-org' }, reason });
    expect(read(fixture('github/organization'))).toMatchObject({ kind: 'notice', repository: null });
  });

  it('is rejected when its name is invalid', () => {
    const hook = fixture('github/issues');
    expect(() => github.read({ ...hook, headers: { 'x-github-event': 'a\nb' } })).toThrow(
      /X-GitHub-Event does not hold/,
    );
  });
});
