import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseHost, parseHosts } from '../../../../../functions/adapters/hosts/configuration.ts';
import { openHosts } from '../../../../../functions/adapters/hosts/open-hosts.ts';
import { type HostDefinition, hosts } from '../../../../../functions/adapters/hosts/registry.ts';
import { type StrictServer, strictServer } from '../../../../support/hosts/strict-server.ts';

const path = fileURLToPath(new URL('../../../../../functions/adapters/hosts/README.md', import.meta.url));

/** All that there is to write for a new kind of host, apart from its tests. */
const acme: HostDefinition = {
  kind: 'acme',
  name: 'Acme Git',
  alsoKinds: ['acme-mirror'],
  dialect: () => ({
    headers: { accept: 'application/json' },
    login: (token) => ({ authorization: `Acme ${token}` }),
    fileRequest: ({ owner, name, sha }, file) => ({ path: `${owner}/${name}/${sha}/${file}` }),
    commitRequest: ({ owner, name, sha }) => ({ path: `${owner}/${name}/${sha}` }),
    tarballRequests: ({ owner, name, sha }) => [{ path: `${owner}/${name}/${sha}.tgz` }],
    setStatus: async () => {},
    compare: async () => 'ahead',
    branch: ({ owner, name }, branch) => ({ path: `${owner}/${name}/${branch}`, schema: v.never() }),
    repositoryPath: ({ owner, name }) => `${owner}/${name}`,
    pullRequest: ({ owner, name }, number) => ({ path: `${owner}/${name}/${number}`, open: ['open'] }),
    pullRequests: ({ owner, name }) => ({ path: `${owner}/${name}/open`, schema: v.array(v.never()) }),
    pair: async (_api, { login, secret }) => ({ login, token: secret, scopes: [], expiresAt: null }),
  }),
};
const definitions = [...hosts, acme];

describe('a host kind added with one folder and one entry', () => {
  let server: StrictServer;
  beforeEach(async () => {
    server = await strictServer();
  });
  afterEach(() => server.close());

  const configuration = () => JSON.stringify([{ name: 'acme', kind: 'acme', api: server.url, web: server.url }]);

  it('can be configured and is listed in the error for an unknown kind', () => {
    expect(parseHosts(configuration(), definitions)).toMatchObject([{ name: 'acme', kind: 'acme' }]);
    expect(() => parseHosts(configuration())).toThrow('must be one of: github, gitlab, gitea, forgejo, bitbucket.');
    expect(() => parseHosts(configuration().replace('"acme","api"', '"svn","api"'), definitions)).toThrow('acme.');
  });

  it('is chosen for the payloads of its kinds', () => {
    const configs = parseHosts(configuration(), definitions);
    for (const kind of ['acme', 'acme-mirror', 'any']) {
      expect(chooseHost(configs, kind, server.host)?.name).toBe('acme');
    }
    expect(chooseHost(configs, 'github', server.host)).toBeNull();
  });

  it('is called at its own paths with its own authentication', async () => {
    const host = openHosts(parseHosts(configuration(), definitions), {}, definitions).named('acme');
    const commit = { host: 'acme', owner: 'ann', name: 'shop', sha: 'a'.repeat(40) };
    server.expect({ request: `GET /ann/shop/${commit.sha}/package.json`, body: '{}' });
    expect(await host.file(commit, 'package.json', 'key', 100)).toBe('{}');
    expect(server.received[0]?.headers.authorization).toBe('Acme key');
  });
});

it('The README of the hosts has a row for each kind', () => {
  const readme = readFileSync(path, 'utf8');
  for (const { name, kind } of hosts) expect(readme).toContain(`| ${name} | \`${kind}\` |`);
});
