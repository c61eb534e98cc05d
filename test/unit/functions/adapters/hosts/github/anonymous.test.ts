import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../../../../../../functions/adapters/hosts/http/http-client.ts';
import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { github } from '../../../../../../functions/adapters/hosts/registry.ts';

const sha = '1'.repeat(40);
const commit = { host: 'github', owner: 'octocat', name: 'Hello-World', sha };

/** Opens GitHub, with an HTTP client that answers 404 to paths in `missing` and 200 to the others. */
function open({ web = 'https://github.com', missing = [] as readonly string[] } = {}) {
  const asked: string[] = [];
  const httpClient: HttpClient = async ({ url }) => {
    asked.push(url.href);
    const status = missing.some((path) => url.href.includes(path)) ? 404 : 200;
    async function* body() {
      yield new TextEncoder().encode(status === 200 ? '{"name":"hello"}' : '404: Not Found');
    }
    return { status, headers: {}, body: body(), discard: () => {} };
  };
  const api = web === 'https://github.com' ? 'https://api.github.com' : `${web}/api/v3`;
  return { asked, host: openHost(github, { name: 'github', api, web, userAgent: 'test/1', httpClient }) };
}

describe('a public repository of GitHub without a token', () => {
  it('is read without its API, whose limit of 60 requests an hour is shared with strangers', async () => {
    const { host, asked } = open({ missing: ['.travis.yml'] });
    expect(await host.file(commit, 'package.json', null, 100)).toBe('{"name":"hello"}');
    expect(await host.file(commit, '.travis.yml', null, 100)).toBeNull();
    await text(await host.tarball(commit, null, new AbortController().signal));
    expect(asked).toEqual([
      `https://raw.githubusercontent.com/octocat/Hello-World/${sha}/package.json`,
      `https://raw.githubusercontent.com/octocat/Hello-World/${sha}/.travis.yml`,
      `https://codeload.github.com/octocat/Hello-World/legacy.tar.gz/${sha}`,
    ]);
  });

  it('is asked for by the API when its first file is not there: it may be private', async () => {
    const { host, asked } = open({ missing: ['package.json', '/commits/'] });
    await expect(host.file(commit, 'package.json', null, 100)).rejects.toMatchObject({
      detail: expect.stringContaining('POST /1/auth/github'),
    });
    expect(asked.at(-1)).toBe(`https://api.github.com/repos/octocat/Hello-World/commits/${sha}`);
  });

  it('may be read from these addresses, and those of another GitHub may not', () => {
    expect(github.downloadHosts?.('https://github.com')).toEqual(['raw.githubusercontent.com']);
    expect(github.downloadHosts?.('https://github.example.com')).toEqual([]);
  });
});

it('With a token, and on GitHub Enterprise Server, all requests are of the API', async () => {
  const paired = open();
  await paired.host.file(commit, 'package.json', 'ghp_token', 100);
  await text(await paired.host.tarball(commit, 'ghp_token', new AbortController().signal));
  const enterprise = open({ web: 'https://github.example.com' });
  await enterprise.host.file(commit, 'package.json', null, 100);
  for (const url of [...paired.asked, ...enterprise.asked]) {
    expect(url).toMatch(/^https:\/\/(api\.github\.com|github\.example\.com\/api\/v3)\/repos\//);
  }
});
