import { describe, expect, it } from 'vitest';
import {
  hostKindAt,
  repositoryAt,
  repositoryNamed,
} from '../../../../../../functions/adapters/senders/fields/remote.ts';

describe('the address of a repository', () => {
  const addresses: [string, string, string, string][] = [
    ['https://github.com/o/r', 'github.com', 'o', 'r'],
    ['https://github.com/o/r.git', 'github.com', 'o', 'r'],
    ['https://GitHub.com/o/r/', 'github.com', 'o', 'r'],
    ['https://user:s3cret@github.com/o/r.git', 'github.com', 'o', 'r'],
    ['http://127.0.0.1:3000/o/r.git', '127.0.0.1:3000', 'o', 'r'],
    ['git@github.com:o/r.git', 'github.com', 'o', 'r'],
    ['github.com:o/r', 'github.com', 'o', 'r'],
    ['ssh://git@github.com/o/r.git', 'github.com', 'o', 'r'],
    ['ssh://git@ssh.github.com:443/o/r.git', 'github.com', 'o', 'r'],
    ['ssh://git@altssh.bitbucket.org:443/o/r.git', 'bitbucket.org', 'o', 'r'],
    ['ssh://git@git.example.org:2222/o/r.git', 'git.example.org', 'o', 'r'],
    ['git://github.com/o/r.git', 'github.com', 'o', 'r'],
    ['git@gitlab.com:a/b/c/r.git', 'gitlab.com', 'a/b/c', 'r'],
    ['https://github.com/o/r.js.git', 'github.com', 'o', 'r.js'],
  ];
  for (const [address, hostname, owner, name] of addresses) {
    it(`is parsed: ${address}`, () => expect(repositoryAt(address)).toMatchObject({ hostname, owner, name }));
  }

  it('is converted to the URL of the web page, without credentials', () => {
    expect(repositoryAt('https://user:s3cret@github.com/o/r.git')?.url).toBe('https://github.com/o/r');
    expect(repositoryAt('git@git.example.org:o/r.git')?.url).toBe('https://git.example.org/o/r');
    expect(repositoryAt('http://127.0.0.1:3000/o/r')?.url).toBe('http://127.0.0.1:3000/o/r');
  });

  it('is rejected when it is not of a repository or not a URL', () => {
    const others = [
      null,
      7,
      '',
      'r',
      'o/r',
      '/srv/git/r.git',
      'file:///srv/git/r.git',
      'javascript:alert(1)',
      'C:\\git\\r',
      'https://github.com/r',
      'https://github.com/',
      'git@github.com:',
      'git@github.com:/o/r',
      'https://github.com/o//r',
      'https://github.com/o/r%2f',
      `https://github.com/o/${'r'.repeat(3000)}`,
      'https://github.com/o/.git',
    ];
    for (const other of others) expect(repositoryAt(other), String(other)).toBeNull();
  });

  it('as a path is owner and name, without ..', () => {
    expect(repositoryNamed('o/r')).toEqual({ hostname: null, owner: 'o', name: 'r', url: null });
    for (const path of [null, undefined, '', 'r', '../r', 'o/..', 'o/ r', 'o//r'])
      expect(repositoryNamed(path)).toBeNull();
  });

  it('determines the kind of host only for public services', () => {
    expect(['github.com', 'gitlab.com', 'bitbucket.org'].map(hostKindAt)).toEqual(['github', 'gitlab', 'bitbucket']);
    for (const name of [null, 'git.example.org', 'github.com.example.org', 'constructor'])
      expect(hostKindAt(name)).toBe('any');
  });
});
