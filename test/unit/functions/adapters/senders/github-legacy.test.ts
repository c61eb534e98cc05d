import { describe, expect, it } from 'vitest';
import { githubLegacy } from '../../../../../functions/adapters/senders/github/github-legacy.ts';
import type { Delivery } from '../../../../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import { bodyField, fixture } from '../../../../support/senders/sender-call.ts';

function read(hook: HookCall): Delivery | undefined {
  return githubLegacy.read(hook)[0];
}

describe('a push of GitHub without headers', () => {
  it('is read from the format of 2012, with the owner in owner.name', () => {
    expect(read(fixture('github-legacy/push'))).toMatchObject({
      kind: 'push',
      provider: 'github',
      hostKind: 'github',
      repository: { hostname: 'github.com', owner: 'ada', name: 'hello-api', url: 'https://github.com/ada/hello-api' },
      branch: 'master',
      sha: '1f7e6d5c4b3a29180f1e2d3c4b5a69788796a5b4',
      before: 'c'.repeat(40),
      message: 'Test with Travis',
      author: 'Ada Example',
    });
  });

  it('has no commit when the branch was deleted', () => {
    expect(read(fixture('github-legacy/push-deleted-branch'))).toMatchObject({ branch: 'old', sha: null });
  });

  it('has a repository that is private as a number or as a boolean', () => {
    const repository = bodyField(fixture('github-legacy/push'), 'repository');
    const sent = (flag: unknown) =>
      read(fixture('github-legacy/push', { repository: { ...repository, private: flag } }));
    expect(read(fixture('github-legacy/push-private'))).toMatchObject({ repository: { private: true } });
    expect(sent(0)).toMatchObject({ repository: { private: false } });
    expect(sent(undefined)).toMatchObject({ repository: { private: false } });
    expect(() => sent('yes')).toThrow(/repository.private is not of the expected type/);
  });

  it("can be a saved payload in today's format", () => {
    const repository = { owner: 'octo-org', name: 'hello-deploy' };
    expect(read(fixture('github-legacy/push-of-today-without-headers'))).toMatchObject({ branch: 'main', repository });
  });

  it('names the host of any address of its repository, and no host without one', () => {
    const bare = { name: 'hello-api', owner: { name: 'ada' } };
    const hostOf = (addresses: object) =>
      read(fixture('github-legacy/push', { repository: { ...bare, ...addresses } }))?.repository?.hostname;
    for (const field of ['html_url', 'web_url', 'url', 'clone_url', 'https_url', 'http_url', 'git_http_url'])
      expect(hostOf({ [field]: 'https://git.example.org:8443/team/p/_git/hello' }), field).toBe('git.example.org:8443');
    for (const field of ['url', 'git_url', 'ssh_url', 'git_ssh_url'])
      expect(hostOf({ [field]: 'git@git.example.org:hello' }), field).toBe('git.example.org');
    expect(hostOf({ html_url: null, url: 7, ssh_url: 'no address' })).toBeNull();
    expect(hostOf({})).toBeNull();
  });

  it('has the same id when it is sent again, and another id when any fact differs', () => {
    const first = fixture('github-legacy/push');
    const repository = bodyField(first, 'repository');
    const others = [
      fixture('github-legacy/push', { ref: 'refs/heads/next' }),
      fixture('github-legacy/push', { before: 'd'.repeat(40) }),
      fixture('github-legacy/push', { after: 'd'.repeat(40) }),
      fixture('github-legacy/push', { repository: { ...repository, name: 'other' } }),
      fixture('github-legacy/push', { repository: { ...repository, owner: { name: 'other' } } }),
      // Forced there, back, and there again: same commits, later push.
      fixture('github-legacy/push', { repository: { ...repository, pushed_at: '2012/03/15 13:00:00 -0700' } }),
    ];
    const id = read(first)?.id;
    expect(id).toMatch(/^push-[\da-f]{32}$/);
    expect(read(fixture('github-legacy/push', { compare: 'elsewhere', commits: [] }))?.id).toBe(id);
    expect(new Set([id, ...others.map((hook) => read(hook)?.id)]).size).toBe(others.length + 1);
  });
});
