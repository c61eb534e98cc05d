import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../functions/core/errors.ts';
import { repositoryHostContract } from '../../contracts/repository-host.ts';
import { memoryHost } from '../../fakes/repository-host.ts';

repositoryHostContract('The host in memory', async () => {
  const host = memoryHost();
  return {
    host,
    commit: async (commit) => host.commit(commit),
    branch: async (commit, branch) => host.branch(commit, branch),
    addToken: async (login, secret) => host.addToken(login, secret),
    statuses: async (commit) => host.statuses(commit),
    close: async () => {},
  };
});

describe('The host in memory, told to fail', () => {
  it('throws the given error from that method only, until it is told to work again', async () => {
    const host = memoryHost();
    const commit = host.commit({ owner: 'o', name: 'n', files: { f: 'text' } });
    host.failWith('file', new DeployError('deploy:repohost:no_pkg_json', 'down', { retry: true }));
    await expect(host.file(commit, 'f', null, 99)).rejects.toMatchObject({ detail: 'down', retry: true });
    expect(await host.compare(commit, commit.sha, null)).toBe('identical');
    host.failWith('file', null);
    expect(await host.file(commit, 'f', null, 99)).toBe('text');
  });
});
