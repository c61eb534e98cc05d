import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chooseHost, parseHosts } from '../../../../../functions/adapters/hosts/configuration.ts';
import { openHosts } from '../../../../../functions/adapters/hosts/open-hosts.ts';
import { hosts as definitions } from '../../../../../functions/adapters/hosts/registry.ts';

const github = { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' };
const corp = {
  name: 'corp',
  kind: 'github',
  api: 'https://git.corp.test:8443/api/v3',
  web: 'https://git.corp.test:8443/',
};
const hostKinds = definitions.map(({ kind }) => kind);
const folder = new URL('../../../../../functions/adapters/hosts/', import.meta.url);

describe('The configuration of the hosts', () => {
  it('is parsed from JSON, without trailing slashes of URLs', () => {
    expect(parseHosts(JSON.stringify([github, corp]))).toEqual([
      github,
      { ...corp, web: 'https://git.corp.test:8443' },
    ]);
  });
  it('allows plain http on this machine only', () => {
    const local = { ...github, api: 'http://127.0.0.1:4000', web: 'http://localhost:4000' };
    expect(parseHosts(JSON.stringify([local]))).toHaveLength(1);
    expect(() => parseHosts(JSON.stringify([{ ...github, api: 'http://10.0.0.1' }]))).toThrow(
      'REPOSITORY_HOSTS[0].api',
    );
  });
  it.each([
    ['no JSON', '[', 'REPOSITORY_HOSTS is not JSON'],
    ['no list', '{}', 'REPOSITORY_HOSTS must be a list.'],
    ['an empty list', '[]', 'REPOSITORY_HOSTS must name at least one host.'],
    [
      'a missing address',
      JSON.stringify([github, { ...github, web: undefined }]),
      'REPOSITORY_HOSTS[1].web is missing.',
    ],
    [
      'an unknown kind',
      JSON.stringify([{ ...github, kind: 'svn' }]),
      'REPOSITORY_HOSTS[0].kind must be one of: github',
    ],
    [
      'an unknown setting',
      JSON.stringify([{ ...github, url: 'x' }]),
      'REPOSITORY_HOSTS[0].url is not a known setting.',
    ],
    ['a name used twice', JSON.stringify([github, github]), 'REPOSITORY_HOSTS must not use a name twice.'],
    ['a name with a space', JSON.stringify([{ ...github, name: 'a b' }]), 'REPOSITORY_HOSTS[0].name must be'],
  ])('is rejected with an error that names the setting: %s', (_, json, sentence) => {
    expect(() => parseHosts(json)).toThrow(sentence);
  });
  it('is rejected without repeating a login in a URL', () => {
    const json = JSON.stringify([{ ...github, api: 'https://me:hunter2@api.github.com' }]);
    expect(() => parseHosts(json)).toThrow('without login');
    expect(() => parseHosts(json)).not.toThrow('hunter2');
  });
  it('accepts a kind for each folder', () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // All kinds share `http`, and Forgejo has the API of Gitea.
    const kinds = folders.map(({ name }) => name).filter((name) => name !== 'http');
    expect([...kinds, 'forgejo'].sort()).toEqual([...hostKinds].sort());
  });
});

describe('Configured hosts of every kind', () => {
  const configs = parseHosts(
    JSON.stringify(hostKinds.map((kind) => ({ ...github, name: `my-${kind}`, kind, web: `https://${kind}.test` }))),
  );

  it.each(hostKinds)('are found by name and by a payload of the kind %s', (kind) => {
    expect(openHosts(configs).at(`my-${kind}`)).toMatchObject({ name: `my-${kind}`, kind });
    expect(openHosts(configs).at('gone')).toBeNull();
    expect(chooseHost(configs, kind, `${kind}.test`)?.name).toBe(`my-${kind}`);
  });
});
