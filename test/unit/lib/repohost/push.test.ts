import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RepoHost, startRepoHost } from '../../../../lib/repohost/repohost.ts';
import {
  type FakeService,
  fakeService,
  git,
  temporaryFolder,
  type WorkingCopy,
  whereIs,
  workingCopy,
} from '../../../support/repohost-fixture.ts';

const secret = 'correct horse battery';
const zeros = '0'.repeat(40);

let folder: ReturnType<typeof temporaryFolder>;
let service: FakeService;
let host: RepoHost;
let copy: WorkingCopy;
let remote: string;
let lines: string[];

const dataDir = () => join(folder.path, 'data');
const open = (url = service.url) =>
  startRepoHost({
    dataDir: dataDir(),
    port: 0,
    webhook: { url, user: 'ada', secret },
    log: (line) => lines.push(line),
  });
const owed = () => readdirSync(join(dataDir(), 'deliveries')).filter((file) => file.endsWith('.json'));
const push = async (...args: string[]) => (await copy.git('push', remote, ...args)).stderr;

beforeEach(async () => {
  lines = [];
  folder = temporaryFolder();
  service = await fakeService();
  host = await open();
  await host.createRepository('ada', 'hello.js');
  remote = host.repositoryPath('ada', 'hello.js');
  copy = await workingCopy(join(folder.path, 'work'));
});
afterEach(async () => {
  await host.close();
  await service.close();
  folder.remove();
});

describe('A push', () => {
  it("calls the webhook as GitHub does, with the login of the hook's address", async () => {
    await copy.commit('first', { 'package.json': '{}' });
    await push('main');
    const [call] = service.calls;
    expect(call?.headers).toMatchObject({
      'x-github-event': 'push',
      'x-github-delivery': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`,
    });
  });

  it('of a new branch tells the repository, every commit and the head', async () => {
    const first = await copy.commit('first', { 'package.json': '{}', 'old.txt': '1' });
    const second = await copy.commit('second\n\nwhy', { 'package.json': '{"name":"x"}', 'dir/grüße.txt': '' });
    await push('main');
    const web = `${host.url}/ada/hello.js`;
    expect(service.calls[0]?.payload).toMatchObject({
      ref: 'refs/heads/main',
      before: zeros,
      after: second,
      created: true,
      deleted: false,
      forced: false,
      compare: `${web}/compare/main`,
      commits: [
        { id: first, message: 'first', added: ['old.txt', 'package.json'], modified: [], removed: [] },
        { id: second, message: 'second\n\nwhy', added: ['dir/grüße.txt'], modified: ['package.json'], removed: [] },
      ],
      head_commit: {
        id: second,
        timestamp: '2026-01-02T03:04:05+01:00',
        url: `${web}/commit/${second}`,
        author: { name: 'Ada', email: 'ada@example.test' },
      },
      repository: {
        name: 'hello.js',
        full_name: 'ada/hello.js',
        private: false,
        owner: { login: 'ada', name: 'ada' },
        html_url: web,
        clone_url: `${web}.git`,
        default_branch: 'main',
      },
      pusher: { name: 'ada', email: 'ada@example.test' },
      sender: { login: 'ada' },
    });
  });

  it('of more commits tells where the branch stood, and only what is new', async () => {
    const first = await copy.commit('first', { a: '1', b: '1' });
    await push('main');
    await copy.git('rm', '--quiet', 'b');
    const second = await copy.commit('second', {});
    await push('main');
    expect(service.calls[1]?.payload).toMatchObject({
      before: first,
      after: second,
      created: false,
      forced: false,
      compare: `${host.url}/ada/hello.js/compare/${first.slice(0, 12)}...${second.slice(0, 12)}`,
      commits: [{ id: second, removed: ['b'] }],
    });
  });

  it('with force is told as forced', async () => {
    await copy.commit('first', { a: '1' });
    await push('main');
    await copy.git('commit', '--quiet', '--amend', '--message', 'other');
    await push('--force', 'main');
    expect(service.calls[1]?.payload).toMatchObject({ forced: true, commits: [{ message: 'other' }] });
  });

  it('that deletes a branch has no head and no commits', async () => {
    const head = await copy.commit('first', { a: '1' });
    await push('main', 'main:side');
    await push('--delete', 'side');
    expect(service.calls.at(-1)?.payload).toMatchObject({
      ref: 'refs/heads/side',
      before: head,
      after: zeros,
      deleted: true,
      head_commit: null,
      commits: [],
    });
  });

  it('of several refs makes a delivery each, annotated tags with the commit they name', async () => {
    const head = await copy.commit('first', { a: '1' });
    await copy.git('tag', '--annotate', 'v1', '--message', 'v1');
    const printed = await push('main', 'v1');
    expect(service.calls.map(({ payload }) => payload.ref)).toEqual(['refs/heads/main', 'refs/tags/v1']);
    expect(service.calls[1]?.payload).toMatchObject({ head_commit: { id: head } });
    expect(new Set(service.calls.map(({ headers }) => headers['x-github-delivery'])).size).toBe(2);
    expect(printed).toContain('deploy v1');
  });

  it('of very many commits tells the twenty newest', async () => {
    for (let number = 1; number <= 22; number += 1) await copy.commit(`${number}`, { n: `${number}` });
    await push('main');
    const commits = service.calls[0]?.payload.commits as { message: string }[];
    expect(commits.map(({ message }) => message)).toEqual(Array.from({ length: 20 }, (_, at) => `${at + 3}`));
  });

  it('makes the first branch the default one, so that a clone has something to check out', async () => {
    await copy.git('checkout', '--quiet', '-b', 'trunk');
    await copy.commit('first', { a: 'text' });
    await push('trunk');
    await git(['clone', '--quiet', remote, join(folder.path, 'clone')]);
    expect(readFileSync(join(folder.path, 'clone', 'a'), 'utf8')).toBe('text');
  });

  it('is told by the hook of the repository even when the person has hooks of their own', async () => {
    await copy.commit('first', { a: '1' });
    const config = join(folder.path, 'gitconfig');
    await git(['config', '--file', config, 'core.hooksPath', '/nowhere']);
    await git(['-C', copy.path, 'push', remote, 'main'], { GIT_CONFIG_GLOBAL: config });
    expect(service.calls).toHaveLength(1);
  });

  it('works for a person without node on the PATH and with NODE_OPTIONS of their own', async () => {
    await copy.commit('first', { a: '1' });
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    symlinkSync(await whereIs('git'), join(bin, 'git'));
    const environment = { PATH: bin, NODE_OPTIONS: '--require=/nowhere/at-all.js' };
    const { stderr } = await git(['-C', copy.path, 'push', `file://${remote}`, 'main'], environment);
    expect(stderr).toContain('queued');
    expect(service.calls).toHaveLength(1);
  });
});

describe('Whoever pushes is told', () => {
  beforeEach(() => copy.commit('first', { a: '1' }));

  it('the status and the address of the entry', async () => {
    const printed = await push('main');
    expect(printed).toMatch(/remote: deploy main \([0-9a-f]{7}\) queued *\n/);
    expect(printed).toContain('remote:   http://127.0.0.1/1/status/me/changes/1');
  });

  it('why nothing is deployed', async () => {
    service.answer = (response) =>
      response.writeHead(200).end('{"status":"skipped","doc":{"reason":"Only master is deployed."}}');
    expect(await push('main')).toContain('skipped: Only master is deployed.');
  });

  it('what the service objects to, which is then not sent again', async () => {
    service.answer = (response) => response.writeHead(400).end('{"title":"t","detail":"Not a \\u001b[31mpayload."}');
    const printed = await push('main');
    expect(printed).toContain('the service answered 400: Not a  [31mpayload. It will not be sent again.');
    expect(owed()).toEqual([]);
  });

  it('that the push is kept when the service refuses the login, without the secret', async () => {
    service.answer = (response) => response.writeHead(401).end('{"title":"No.","detail":""}');
    const printed = await push('main');
    expect(printed).toContain('answered 401: No. The push is kept');
    expect(printed).not.toContain(secret);
    expect(owed()).toHaveLength(1);
  });

  it('that the push is kept when nobody listens at the address', async () => {
    await service.close();
    expect(await push('main')).toContain('did not answer (ECONNREFUSED). The push is kept');
    expect(owed()).toHaveLength(1);
  });

  it('that the service is not running, and the push itself goes through', async () => {
    await host.close();
    expect(await push('main')).toContain('remote: the deploy service is not running. The push is kept');
    expect(service.calls).toHaveLength(0);
    expect((await git(['--git-dir', remote, 'rev-parse', 'main'])).stdout).toMatch(/^[0-9a-f]{40}/);
  });

  it('to start anew when the program behind the hook is gone', async () => {
    await rm(join(dataDir(), 'post-receive.mjs'));
    expect(await push('main')).toContain('Run npm start once');
  });
});

describe('What was pushed while the service was away', () => {
  beforeEach(() => copy.commit('first', { a: '1' }));
  const settled = async (condition: () => boolean) => {
    for (let tries = 0; tries < 200 && !condition(); tries += 1) await new Promise((wait) => setTimeout(wait, 25));
    expect(condition()).toBe(true);
  };

  it('is told at the next start, in order, with the address that the host has then', async () => {
    await host.close();
    await push('main');
    const second = await copy.commit('second', { a: '2' });
    await push('main');
    host = await open();
    await settled(() => service.calls.length === 2);
    expect(service.calls[1]?.payload).toMatchObject({
      after: second,
      repository: { html_url: `${host.url}/ada/hello.js` },
    });
    await settled(() => owed().length === 0);
    expect(lines.join('\n')).toContain('pushed earlier: deploy main');
  });

  it('is told as soon as the service answers, under the same delivery id', async () => {
    service.answer = (response) => response.writeHead(503).end();
    await host.close();
    await push('main');
    host = await open();
    await settled(() => service.calls.length >= 1);
    service.answer = (response) => response.writeHead(202).end('{"status":"queued"}');
    await settled(() => owed().length === 0);
    expect(new Set(service.calls.map(({ headers }) => headers['x-github-delivery'])).size).toBe(1);
  });

  it('of one repository does not hold up that of another', async () => {
    await host.createRepository('ada', 'other');
    await host.close();
    await push('main', 'main:side');
    await copy.git('push', host.repositoryPath('ada', 'other'), 'main');
    const answered: unknown[] = [];
    service.answer = (response) => {
      const { full_name } = Object(service.calls.at(-1)?.payload.repository);
      answered.push(full_name);
      response.writeHead(full_name === 'ada/other' ? 202 : 500).end('{}');
    };
    host = await open();
    await settled(() => owed().length === 2);
    expect(answered.slice(0, 2)).toEqual(['ada/hello.js', 'ada/other']);
  });

  it('is told once only', async () => {
    await host.close();
    await push('main');
    host = await open();
    await settled(() => service.calls.length === 1);
    await host.close();
    host = await open();
    expect(await host.redeliver()).toEqual({ sent: 0, kept: 0 });
    expect(service.calls).toHaveLength(1);
  });

  it('is not asked for again and again when the login is refused', async () => {
    service.answer = (response) => response.writeHead(401).end();
    await host.close();
    await push('main');
    host = await open();
    await settled(() => lines.length > 0);
    await new Promise((wait) => setTimeout(wait, 1200));
    expect(service.calls).toHaveLength(1);
    expect(owed()).toHaveLength(1);
  });

  it('is not sent to a stranger on the port of a host that was killed', async () => {
    const running = join(dataDir(), 'running.json');
    const announced = JSON.parse(readFileSync(running, 'utf8'));
    // Greater than any process id that Linux gives out.
    await writeFile(running, JSON.stringify({ ...announced, pid: 2 ** 22 + 1 }));
    expect(await push('main')).toContain('not running');
    expect(service.calls).toHaveLength(0);
  });
});

describe('The data folder', () => {
  it('keeps the secret in one file, for its owner only, while the host runs', async () => {
    const running = join(dataDir(), 'running.json');
    expect(statSync(running).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir()).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(remote, 'hooks', 'post-receive'), 'utf8')).not.toContain(secret);
    await host.close();
    expect(existsSync(running)).toBe(false);
  });
});
