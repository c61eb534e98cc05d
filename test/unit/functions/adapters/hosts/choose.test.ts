import { describe, expect, it } from 'vitest';
import { chooseHost, hostAt } from '../../../../../functions/adapters/hosts/choose.ts';
import type { HostConfig } from '../../../../../functions/adapters/hosts/configuration.ts';

function host(name: string, web: string, api = web): HostConfig {
  return { name, kind: 'github', api, web };
}

const github = host('github', 'https://github.com', 'https://api.github.com');
const enterprise = host('enterprise', 'https://git.example.org:8443', 'https://git.example.org:8443/api/v3');
const local = host('local', 'http://127.0.0.1:3000');
const hosts = [github, enterprise, local];

describe('the host of a payload', () => {
  it('is the one of its kind with the host name, port and all, of the payload', () => {
    expect(chooseHost(hosts, 'github', 'GitHub.com')).toBe(github);
    expect(chooseHost(hosts, 'github', 'api.github.com')).toBe(github);
    expect(chooseHost(hosts, 'github', '127.0.0.1:3000')).toBe(local);
    expect(chooseHost(hosts, 'github', '127.0.0.1')).toBeNull();
    expect(chooseHost(hosts, 'gitlab', 'github.com')).toBeNull();
  });

  it('is the first of its kind when the payload names none', () => {
    expect(chooseHost(hosts, 'github', null)).toBe(github);
    expect(chooseHost([], 'github', null)).toBeNull();
  });

  it('is none when the name is not configured', () => {
    expect(chooseHost(hosts, 'github', 'github.com.example.org')).toBeNull();
    expect(chooseHost(hosts, 'any', 'evil.example.org')).toBeNull();
  });

  it('of any kind is found by its name', () => {
    expect(chooseHost(hosts, 'any', 'github.com')).toBe(github);
    expect(chooseHost(hosts, 'any', '127.0.0.1:3000')).toBe(local);
  });

  it('of any kind is found by a name without its port, which an SSH address does not have, unless two answer to it', () => {
    expect(chooseHost(hosts, 'any', 'git.example.org')).toBe(enterprise);
    expect(chooseHost([local, host('other', 'http://127.0.0.1:4000')], 'any', '127.0.0.1')).toBeNull();
  });

  it('of any kind and without a name is the only one there is', () => {
    expect(chooseHost([local], 'any', null)).toBe(local);
    expect(chooseHost(hosts, 'any', null)).toBeNull();
  });
});

describe('the host of an address of the service', () => {
  const forge: HostConfig = {
    name: 'forge',
    kind: 'forgejo',
    alsoKinds: ['gitea'],
    api: 'https://forge.test/api/v1',
    web: 'https://forge.test',
  };
  const named: HostConfig = { ...forge, name: 'repohost' };

  it('is the first one for repohost, unless a host is called that', () => {
    expect(hostAt([forge, github], 'repohost')).toBe(forge);
    expect(hostAt([github, named], 'repohost')).toBe(named);
    expect(hostAt([], 'repohost')).toBeNull();
  });

  it('is the one of that name, or else the first of that kind', () => {
    expect(hostAt([local, github, forge], 'github')).toBe(github);
    expect(hostAt([enterprise, local, forge], 'github')).toBe(enterprise);
    expect(hostAt([github, forge], 'forgejo')).toBe(forge);
    expect(hostAt([github, forge], 'gitlab')).toBeNull();
  });

  it('of a payload of Gitea may be Forgejo, and the other way round', () => {
    expect(chooseHost([github, forge], 'gitea', 'forge.test')).toBe(forge);
    expect(chooseHost([{ ...forge, kind: 'gitea', alsoKinds: ['forgejo'] }], 'forgejo', null)).toMatchObject({
      name: 'forge',
    });
    expect(chooseHost([github, forge], 'gitea', 'github.com')).toBeNull();
  });
});
