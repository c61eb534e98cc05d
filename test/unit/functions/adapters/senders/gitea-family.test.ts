import { describe, expect, it } from 'vitest';
import { forgejo } from '../../../../../functions/adapters/senders/gitea/forgejo.ts';
import { gitea } from '../../../../../functions/adapters/senders/gitea/gitea.ts';
import { readPayload } from '../../../../../functions/core/payload/payload.ts';
import { after, bodyField, call, fixture, pushToMain, recognise } from '../../../../support/senders/sender-call.ts';

const family = [
  { sender: gitea, name: 'gitea', hostname: 'git.example.org' },
  { sender: forgejo, name: 'forgejo', hostname: 'codeberg.org' },
];

for (const { sender, name, hostname } of family) {
  describe(`a push of ${name}`, () => {
    it('is read with commit and branch, although it has the headers of other hosts', () => {
      const hook = fixture(`${name}/push`);
      expect(hook.headers['x-github-event']).toBe('push');
      expect(sender.read(hook)).toEqual([
        {
          ...pushToMain,
          provider: name,
          hostKind: 'gitea',
          id: '0d5a1c2e-0000-11ee-8000-000000000301',
          repository: expect.objectContaining({
            ...{ hostname, owner: 'octo-org', name: 'hello-deploy', private: true },
            id: expect.stringMatching(/^\d+$/),
          }),
        },
      ]);
    });

    it('of a tag has no branch', () => {
      expect(sender.read(fixture(`${name}/push-tag`))).toMatchObject([{ ref: 'refs/tags/v1.0.0', branch: null }]);
    });

    it('is a notice when a branch was deleted, which is a separate event', () => {
      const reason = 'The branch next was deleted.';
      expect(sender.read(fixture(`${name}/delete-branch`))).toMatchObject([{ kind: 'notice', provider: name, reason }]);
    });

    it('can be sent as a form', () => {
      const { headers, body } = fixture(`${name}/push`);
      const raw = new TextEncoder().encode(`payload=${encodeURIComponent(JSON.stringify(body))}`);
      const hook = { ...call(readPayload(raw, 'application/x-www-form-urlencoded').body, {}), headers, raw };
      expect(recognise(hook)).toBe(sender);
      expect(sender.read(hook)).toMatchObject([{ kind: 'push', sha: after }]);
    });
  });
}

describe('a push of Gitea', () => {
  const read = (name: string, changes = {}) => gitea.read(fixture(`gitea/${name}`, changes))[0];

  it('of a new branch has no commits and no previous commit', () => {
    expect(read('push-new-branch')).toMatchObject({ branch: 'feature/x', sha: after, before: null });
  });

  it('with a truncated list of commits has the whole message of its head commit', () => {
    const skip = { deploy: true, ci: false, words: '[skip deploy]' };
    const head_commit = { ...bodyField(fixture('gitea/push'), 'head_commit'), message: 'Step 50\n\n[skip deploy]\n' };
    const commits = [49, 48, 47, 46, 45].map((at) => ({ id: `${at}`.repeat(20), message: `Step ${at}\n` }));
    const of50 = { commits, total_commits: 50, head_commit };
    expect(read('push', of50)).toMatchObject({ sha: after, message: 'Step 50', skip });
    expect(read('push', { ...of50, head_commit: null })).toMatchObject({ message: null, author: 'Mona Example' });
  });

  it('can be a merge, an empty commit, or the test of the settings page', () => {
    expect(read('push-merge')).toMatchObject({ message: expect.stringMatching(/^Merge pull request/) });
    expect(read('push-empty-commit')).toMatchObject({ message: 'Deploy again', sha: after });
    expect(read('push-test')).toMatchObject({ branch: 'main', sha: after, before: after });
  });

  it('has no commit when after is all zeros', () => {
    expect(read('push', { after: '0'.repeat(40) })).toMatchObject({ branch: 'main', sha: null });
  });

  it("is recognised by its body without headers, and not as GitHub's format of 2012", () => {
    expect(recognise(fixture('gitea/push-without-headers'))).toBe(gitea);
  });

  it('is rejected when the owner is ..', () => {
    const repository = { ...bodyField(fixture('gitea/push'), 'repository'), full_name: '../hello-deploy', owner: null };
    expect(() => read('push', { repository })).toThrow(/a push of Gitea, but repository has no owner/);
  });

  it('is a notice when it is another event', () => {
    expect(read('create-branch')).toMatchObject({
      kind: 'notice',
      reason: expect.stringMatching(/event create of Gitea/),
    });
  });
});
