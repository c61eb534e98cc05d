import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { gitlab } from '../../../../../../functions/adapters/hosts/registry.ts';
import { repositoryHostContract } from '../../../../../contracts/repository-host.ts';
import { gitlabForge } from '../../../../../support/hosts/gitlab-forge.ts';

repositoryHostContract('GitLab', async () => {
  const forge = await gitlabForge();
  return {
    host: openHost(gitlab, {
      name: 'gitlab',
      api: `${forge.url}/api/v4`,
      web: forge.url,
      userAgent: 'deployment-webhooks-test',
    }),
    defaultBranch: 'main',
    commit: async (commit) => forge.commit(commit),
    branch: async (commit, branch) => forge.branch(commit, branch),
    addToken: async (login, secret) => void forge.tokens.set(secret, login),
    scopes: ['api'],
    leavesOutPending: true,
    statuses: async ({ owner, name, sha }) => forge.see(`${owner}/${name}`, sha, owner)?.statuses ?? [],
    close: forge.close,
  };
});
