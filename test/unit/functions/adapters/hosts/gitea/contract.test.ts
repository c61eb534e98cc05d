import { describe } from 'vitest';
import { openHosts } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { repositoryHostContract } from '../../../../../contracts/repository-host.ts';
import { giteaForge } from '../../../../../support/hosts/gitea-forge.ts';

describe.each(['gitea', 'forgejo'] as const)('The kind %s', (kind) => {
  repositoryHostContract('A host that exchanges passwords for tokens', async () => {
    const password = 'pass: wörd';
    const forge = await giteaForge(new Map([['octo', password]]));
    const config = { name: 'forge', kind, api: `${forge.url}/api/v1`, web: forge.url };
    const open = openHosts([config]).at('forge');
    if (!open) throw new Error('The host is not configured.');
    return {
      host: open.host,
      defaultBranch: 'main',
      commit: async (commit) => forge.commit(commit),
      branch: async (commit, branch) => forge.branch(commit, branch),
      addToken: async () => {},
      credentials: { login: 'octo', secret: password },
      scopes: ['read:user', 'write:repository'],
      statuses: async ({ owner, name, sha }) => forge.see(`${owner}/${name}`, sha, owner)?.statuses ?? [],
      close: forge.close,
    };
  });
});
