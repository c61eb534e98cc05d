import { repositoryHostContract } from '../../contracts/repository-host.ts';
import { memoryHost } from '../../fakes/repository-host.ts';

repositoryHostContract('The host in memory', async () => {
  const host = memoryHost();
  return {
    host,
    defaultBranch: 'main',
    commit: async (commit) => host.commit(commit),
    branch: async (commit, branch) => host.branch(commit, branch),
    addToken: async (login, secret) => host.addToken(login, secret),
    abbreviates: true,
    statuses: async (commit) => host.statuses(commit),
    close: async () => {},
  };
});
