import { describe } from 'vitest';
import { openHost } from '../../../../../functions/adapters/hosts/open-hosts.ts';
import { hosts } from '../../../../../functions/adapters/hosts/registry.ts';
import { repositoryHostContract } from '../../../../contracts/repository-host.ts';
import { bitbucketForge } from '../../../../support/hosts/bitbucket-forge.ts';
import type { Forge } from '../../../../support/hosts/forge.ts';
import { giteaForge } from '../../../../support/hosts/gitea-forge.ts';
import { gitlabForge } from '../../../../support/hosts/gitlab-forge.ts';

/** Returns a host whose API is a mock below an address, and how the suite changes what is there. */
function hostOf(kind: string, forge: Forge, api: string) {
  const definition = hosts.find((one) => one.kind === kind);
  if (!definition) throw new Error(`There is no host of the kind ${kind}.`);
  const options = { name: kind, api: `${forge.url}${api}`, web: forge.url, userAgent: 'deployment-webhooks-test' };
  return {
    host: openHost(definition, options),
    defaultBranch: 'main',
    commit: async (commit: Parameters<Forge['commit']>[0]) => forge.commit(commit),
    branch: async (...call: Parameters<Forge['branch']>) => forge.branch(...call),
    statuses: async ({ owner, name, sha }: { owner: string; name: string; sha: string }) =>
      forge.see(`${owner}/${name}`, sha, owner)?.statuses ?? [],
    close: forge.close,
  };
}

repositoryHostContract('Bitbucket', async () => {
  const forge = await bitbucketForge();
  return {
    ...hostOf('bitbucket', forge, '/2.0'),
    addToken: async (login, secret) => {
      forge.tokens.set(`${login}@example.com:${secret}`, login);
      forge.tokens.set(`x-bitbucket-api-token-auth:${secret}`, login);
    },
    credentials: { login: 'octo@example.com', secret: 'suite-token-0123456789' },
    abbreviates: true,
    scopes: ['read:repository:bitbucket', 'read:user:bitbucket'],
  };
});

repositoryHostContract('GitLab', async () => {
  const forge = await gitlabForge();
  return {
    ...hostOf('gitlab', forge, '/api/v4'),
    addToken: async (login, secret) => void forge.tokens.set(secret, login),
    scopes: ['api'],
    leavesOutPending: true,
  };
});

describe.each(['gitea', 'forgejo'] as const)('The kind %s', (kind) => {
  repositoryHostContract('A host that exchanges passwords for tokens', async () => {
    const credentials = { login: 'octo', secret: 'pass: wörd' };
    return {
      ...hostOf(kind, await giteaForge(new Map([['octo', credentials.secret]])), '/api/v1'),
      addToken: async () => {},
      credentials,
      scopes: ['read:user', 'write:repository'],
    };
  });
});
