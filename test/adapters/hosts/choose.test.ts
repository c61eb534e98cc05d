import { describe, expect, it } from 'vitest';
import { chooseHost } from '../../../functions/adapters/hosts/choose.ts';
import type { HostConfig } from '../../../functions/adapters/hosts/configuration.ts';

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
