import { describe, expect, it } from 'vitest';
import { chooseHost, type HostConfig, hostAt } from '../../../../../functions/adapters/hosts/configuration.ts';

function host(name: string, web: string, api = web): HostConfig {
  return { name, kind: 'github', api, web };
}

const github = host('github', 'https://github.com', 'https://api.github.com');
const enterprise = host('enterprise', 'https://git.example.org:8443', 'https://git.example.org:8443/api/v3');
const local = host('local', 'http://127.0.0.1:3000');
const hosts = [github, enterprise, local];

describe('chooseHost', () => {
  it("returns the host of the payload's kind with the same host name and port", () => {
    expect(chooseHost(hosts, 'github', 'GitHub.com')).toBe(github);
    expect(chooseHost(hosts, 'github', 'api.github.com')).toBe(github);
    expect(chooseHost(hosts, 'github', '127.0.0.1:3000')).toBe(local);
    expect(chooseHost(hosts, 'github', '127.0.0.1')).toBeNull();
    expect(chooseHost(hosts, 'gitlab', 'github.com')).toBeNull();
  });

  it('returns the first host of the kind when the payload has no host name', () => {
    expect(chooseHost(hosts, 'github', null)).toBe(github);
    expect(chooseHost([], 'github', null)).toBeNull();
  });

  it('returns null when no host with that host name is configured', () => {
    expect(chooseHost(hosts, 'github', 'github.com.example.org')).toBeNull();
    expect(chooseHost(hosts, 'any', 'evil.example.org')).toBeNull();
  });

  it('finds a host by its host name alone when the payload has the kind any', () => {
    expect(chooseHost(hosts, 'any', 'github.com')).toBe(github);
    expect(chooseHost(hosts, 'any', '127.0.0.1:3000')).toBe(local);
  });

  it('ignores the port when the payload has the kind any, unless the host name is ambiguous', () => {
    expect(chooseHost(hosts, 'any', 'git.example.org')).toBe(enterprise);
    expect(chooseHost([local, host('other', 'http://127.0.0.1:4000')], 'any', '127.0.0.1')).toBeNull();
  });

  it('returns the only configured host when the payload has the kind any and no host name', () => {
    expect(chooseHost([local], 'any', null)).toBe(local);
    expect(chooseHost(hosts, 'any', null)).toBeNull();
  });
});

describe('hostAt', () => {
  const forge: HostConfig = {
    name: 'forge',
    kind: 'forgejo',
    alsoKinds: ['gitea'],
    api: 'https://forge.test/api/v1',
    web: 'https://forge.test',
  };
  const named: HostConfig = { ...forge, name: 'repohost' };

  it('returns the first host for repohost, unless a host has that name', () => {
    expect(hostAt([forge, github], 'repohost')).toBe(forge);
    expect(hostAt([github, named], 'repohost')).toBe(named);
    expect(hostAt([], 'repohost')).toBeNull();
  });

  it('returns the host with that name, or else the first of that kind', () => {
    expect(hostAt([local, github, forge], 'github')).toBe(github);
    expect(hostAt([enterprise, local, forge], 'github')).toBe(enterprise);
    expect(hostAt([github, forge], 'forgejo')).toBe(forge);
    expect(hostAt([github, forge], 'gitlab')).toBeNull();
  });

  it('chooses a Forgejo host for payloads of Gitea, and the reverse', () => {
    expect(chooseHost([github, forge], 'gitea', 'forge.test')).toBe(forge);
    expect(chooseHost([{ ...forge, kind: 'gitea', alsoKinds: ['forgejo'] }], 'forgejo', null)).toMatchObject({
      name: 'forge',
    });
    expect(chooseHost([github, forge], 'gitea', 'github.com')).toBeNull();
  });
});
