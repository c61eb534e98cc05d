import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { bitbucket } from '../../../../../../functions/adapters/hosts/registry.ts';
import { repositoryHostContract } from '../../../../../contracts/repository-host.ts';
import { bitbucketForge } from '../../../../../support/hosts/bitbucket-forge.ts';

repositoryHostContract('Bitbucket', async () => {
  const forge = await bitbucketForge();
  const options = { name: 'bitbucket', api: `${forge.url}/2.0`, web: forge.url, userAgent: 'deployment-webhooks-test' };
  return {
    host: openHost(bitbucket, options),
    defaultBranch: 'main',
    commit: async (commit) => forge.commit(commit),
    branch: async (commit, branch) => forge.branch(commit, branch),
    async addToken(login, secret) {
      forge.tokens.set(`${login}@example.com:${secret}`, login);
      forge.tokens.set(`x-bitbucket-api-token-auth:${secret}`, login);
    },
    credentials: { login: 'octo@example.com', secret: 'suite-token-0123456789' },
    abbreviates: true,
    scopes: ['read:repository:bitbucket', 'read:user:bitbucket'],
    statuses: async ({ owner, name, sha }) => forge.see(`${owner}/${name}`, sha, owner)?.statuses ?? [],
    close: forge.close,
  };
});
