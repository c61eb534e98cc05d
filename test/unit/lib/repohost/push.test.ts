import { exec } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { git, whereIs } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const secret = 'correct horse battery';
const zeros = '0'.repeat(40);

let remote: string;
let lines: string[];

const world = repoHostWorld(async () => {
  lines = [];
  const host = await open();
  await host.createRepository('ada', 'hello.js');
  remote = host.repositoryPath('ada', 'hello.js');
});
const open = (url = world.service.url) => world.start({ webhook: { url, secret }, log: (line) => lines.push(line) });
const run = promisify(exec);
const pending = () => readdirSync(join(world.dataDir, 'deliveries')).filter((file) => file.endsWith('.json'));
const push = async (...args: string[]) => (await world.copy.git('push', remote, ...args)).stderr;

describe('A delivery of a push', () => {
  it("A push calls the webhook as GitHub does, with the login of the hook's address", async () => {
    await world.copy.commit('first', { 'package.json': '{}' });
    await push('main');
    const [call] = world.service.calls;
    expect(call?.headers).toMatchObject({
      'x-github-event': 'push',
      'x-github-delivery': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`,
    });
  });

  it('The payload of a new branch holds the repository and the head', async () => {
    await world.copy.commit('first', { a: '1' });
    const second = await world.copy.commit('second\n\nwhy', { a: '2' });
    await push('main');
    const web = `${world.host.url}/ada/hello.js`;
    expect(world.service.calls[0]?.payload).toMatchObject({
      ref: 'refs/heads/main',
      before: zeros,
      after: second,
      created: true,
      deleted: false,
      forced: false,
      head_commit: {
        id: second,
        timestamp: '2026-01-02T03:04:05+01:00',
        message: 'second\n\nwhy',
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

  it('The payload of a push to an existing branch holds its previous commit', async () => {
    const first = await world.copy.commit('first', { a: '1' });
    await push('main');
    const second = await world.copy.commit('second', { a: '2' });
    await push('main');
    expect(world.service.calls[1]?.payload).toMatchObject({
      before: first,
      after: second,
      created: false,
      forced: false,
    });
  });

  it('The payload of a forced push is marked as forced', async () => {
    await world.copy.commit('first', { a: '1' });
    await push('main');
    await world.copy.git('commit', '--quiet', '--amend', '--message', 'other');
    await push('--force', 'main');
    expect(world.service.calls[1]?.payload).toMatchObject({ forced: true, head_commit: { message: 'other' } });
  });

  it('The payload of a deleted branch has no head', async () => {
    const head = await world.copy.commit('first', { a: '1' });
    await push('main', 'main:side');
    await push('--delete', 'side');
    expect(world.service.calls.at(-1)?.payload).toMatchObject({
      ref: 'refs/heads/side',
      before: head,
      after: zeros,
      deleted: true,
      head_commit: null,
    });
  });

  it('A push of a branch and a tag makes one delivery for each, an annotated tag with the commit it points to', async () => {
    const head = await world.copy.commit('first', { a: '1' });
    await world.copy.git('tag', '--annotate', 'v1', '--message', 'v1');
    const printed = await push('main', 'v1');
    expect(world.service.calls.map(({ payload }) => payload.ref).sort()).toEqual(['refs/heads/main', 'refs/tags/v1']);
    const tag = world.service.calls.find(({ payload }) => payload.ref === 'refs/tags/v1');
    expect(tag?.payload).toMatchObject({ head_commit: { id: head } });
    expect(new Set(world.service.calls.map(({ headers }) => headers['x-github-delivery'])).size).toBe(2);
    expect(printed).toContain('deploy v1');
  });

  it('The first branch that is pushed becomes the default branch', async () => {
    await world.copy.git('checkout', '--quiet', '-b', 'trunk');
    await world.copy.commit('first', { a: 'text' });
    await push('trunk');
    await git(['clone', '--quiet', remote, join(world.folder, 'clone')]);
    expect(readFileSync(join(world.folder, 'clone', 'a'), 'utf8')).toBe('text');
  });

  it("The repository's hook runs even when the user who pushes has set core.hooksPath", async () => {
    await world.copy.commit('first', { a: '1' });
    const config = join(world.folder, 'gitconfig');
    await git(['config', '--file', config, 'core.hooksPath', '/nowhere']);
    await git(['-C', world.copy.path, 'push', remote, 'main'], { GIT_CONFIG_GLOBAL: config });
    expect(world.service.calls).toHaveLength(1);
  });

  it('A push works without node on the PATH and with any NODE_OPTIONS', async () => {
    await world.copy.commit('first', { a: '1' });
    const bin = join(world.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(await whereIs('git'), join(bin, 'git'));
    const environment = { PATH: bin, NODE_OPTIONS: '--require=/nowhere/at-all.js' };
    const { stderr } = await git(['-C', world.copy.path, 'push', `file://${remote}`, 'main'], environment);
    expect(stderr).toContain('queued');
    expect(world.service.calls).toHaveLength(1);
  });
});

describe('The objects of a push', () => {
  /** Stores an object as it is, whatever git says to it, and returns its id. */
  const stored = async (type: string, bytes: Buffer) => {
    const file = join(world.folder, 'object');
    await writeFile(file, bytes);
    return (await world.copy.git('hash-object', '-t', type, '-w', '--literally', file)).stdout.trim();
  };
  const treeOf = async (mode: string, name: string, id: string) =>
    stored('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
  const commitOf = async (tree: string, author: string) =>
    stored('commit', Buffer.from(`tree ${tree}\nauthor ${author}\ncommitter ${author}\n\nold\n`));
  const ada = 'Ada <ada@example.test> 1700000000 +0000';

  it.each(['.git', '..'])('A tree with %s in it is refused at the push, which names it', async (name) => {
    const inner = await treeOf('100644', 'config', await stored('blob', Buffer.from('x')));
    const commit = await commitOf(await treeOf('40000', name, inner), ada);
    const refused = await push(`${commit}:refs/heads/main`).catch((error) => error.stderr);
    expect(refused).toContain(`contains '${name}'`);
    expect(refused).toContain('remote rejected');
    expect(world.service.calls).toEqual([]);
  });

  it('A history with the harmless faults of old programs is taken', async () => {
    const tree = await treeOf('0100644', 'a', await stored('blob', Buffer.from('x')));
    const faults = [
      'Ada <ada@example.test> 1700000000 +051800',
      'Ada <a<b@example.test> 0123 +0000',
      'ada@test 1 +0000',
    ];
    for (const [number, author] of faults.entries()) {
      const branch = `refs/heads/${number}`;
      expect(await push(`${await commitOf(tree, author)}:${branch}`), author).toContain('new branch');
    }
  });

  describe('A commit that another one is to stand for', () => {
    let honest: string;
    let other: string;
    const overHttp = () => world.host.cloneUrl('ada', 'hello.js').replace('//', `//ada:${encodeURIComponent(secret)}@`);
    const file = async () => (await fetch(`${world.host.url}/repos/ada/hello.js/contents/app?ref=main`)).text();
    const archived = async () => {
      const answer = await fetch(`${world.host.url}/repos/ada/hello.js/tarball/main`);
      await writeFile(join(world.folder, 'tarball'), Buffer.from(await answer.arrayBuffer()));
      return (await run('tar -xzOf tarball', { cwd: world.folder })).stdout;
    };

    beforeEach(async () => {
      honest = await world.copy.commit('honest', { app: 'honest' });
      await world.copy.git('checkout', '--quiet', '-b', 'other');
      other = await world.copy.commit('other', { app: 'other' });
      await world.copy.git('checkout', '--quiet', 'main');
    });

    it.each(['over HTTP', 'into the folder'])(
      'is not taken %s, which git says, and the other refs are',
      async (how) => {
        await world.copy.git('replace', honest, other);
        const to = how === 'over HTTP' ? overHttp() : remote;
        const printed = await world.copy.git('push', '--mirror', to).catch((error) => error);
        expect(printed.stderr).toMatch(/\[new branch\] +main -> main/);
        expect(printed.stderr).toMatch(/\[remote rejected\] refs\/replace\/\w+ -> .*\(deny updating a hidden ref\)/);
        expect((await git(['ls-remote', remote])).stdout).not.toContain('refs/replace');
        const { payload } = world.service.calls.find((call) => call.payload.ref === 'refs/heads/main') ?? {};
        expect(payload).toMatchObject({ after: honest, head_commit: { message: 'honest' } });
        expect([await file(), await archived()]).toEqual(['honest', 'honest']);
      },
    );

    it.each([
      ['another commit', () => git(['-C', remote, 'update-ref', `refs/replace/${honest}`, other])],
      ['itself', () => git(['-C', remote, 'update-ref', `refs/replace/${honest}`, honest])],
      ['a graft', (next: string) => writeFile(join(remote, 'info/grafts'), `${next} ${other}\n`)],
    ])('is read as it is where the repository has that of %s, and pushes go on', async (_, put) => {
      mkdirSync(join(remote, 'info'), { recursive: true });
      await push('main', 'other');
      const next = await world.copy.commit('next', { b: '1' });
      await put(next);
      expect([await file(), await archived()]).toEqual(['honest', 'honest']);
      expect((await world.copy.git('push', overHttp(), 'main')).stderr).toContain('queued');
      expect(world.service.calls.at(-1)?.payload).toMatchObject({ before: honest, after: next, forced: false });
      await world.copy.commit('last', { b: '2' });
      expect(await push('main')).toContain('queued');
      const compared = await fetch(`${world.host.url}/repos/ada/hello.js/compare/${honest}...${next}`);
      expect(await compared.json()).toMatchObject({ ahead_by: 1, behind_by: 0 });
    });
  });

  it('A repository of an earlier version gets the same settings at the next start, once', async () => {
    await world.host.close();
    const file = join(remote, 'config');
    await writeFile(file, '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\thooksPath = hooks\n');
    await open();
    const settings = readFileSync(file, 'utf8');
    expect(settings).toContain('fsckObjects = true');
    expect(settings.match(/hooksPath/g)).toHaveLength(1);
    await world.host.close();
    await open();
    expect(readFileSync(file, 'utf8')).toBe(settings);
  });
});

describe('A push of many refs', () => {
  it('A push of many refs sends the default branch only, and says so in one sentence', async () => {
    await world.copy.commit('first', { a: '1' });
    await world.copy.git('tag', 'v1');
    await world.copy.git('tag', 'v2');
    const printed = await push('main', 'main:one', 'main:two', 'v1', 'v2');
    expect(world.service.calls.map(({ payload }) => payload.ref)).toEqual(['refs/heads/main']);
    expect(printed).toContain(
      'remote: 2 branches and 2 tags of this push are not sent to the service: only main is deployed.',
    );
    expect(printed.match(/remote: deploy /g)).toHaveLength(1);
    expect(pending()).toEqual([]);
  });

  it('A push of one other branch is sent, so that the log says that it deploys nothing', async () => {
    await world.copy.commit('first', { a: '1' });
    await push('main');
    expect(await push('main:side')).toContain('deploy side');
    expect(world.service.calls.map(({ payload }) => payload.ref)).toEqual(['refs/heads/main', 'refs/heads/side']);
  });
});

describe('The output of git push', () => {
  beforeEach(() => world.copy.commit('first', { a: '1' }));

  it('The output of git push shows the status and the address of the entry', async () => {
    const printed = await push('main');
    expect(printed).toMatch(/remote: deploy main \([0-9a-f]{7}\) queued *\n/);
    expect(printed).toContain('remote:   http://127.0.0.1/1/status/me/changes/1');
  });

  it('The output of git push links to the page of the entry, when the answer names one', async () => {
    const link = '<http://127.0.0.1/#/me/deploys/1>; rel="alternate"; type="text/html"';
    world.service.answer = (response) =>
      response.writeHead(202, { location: 'http://127.0.0.1/1', link }).end('{"status":"queued"}');
    expect(await push('main')).toContain('remote:   http://127.0.0.1/#/me/deploys/1');
  });

  it('The output of git push says why nothing is deployed', async () => {
    world.service.answer = (response) =>
      response.writeHead(200).end('{"status":"skipped","doc":{"reason":"Only master is deployed."}}');
    expect(await push('main')).toContain('skipped: Only master is deployed.');
  });

  it('The output of git push shows the error of the service, and the delivery is not sent again', async () => {
    world.service.answer = (response) =>
      response.writeHead(400).end('{"title":"t","detail":"Not a \\u001b[31mpayload."}');
    const printed = await push('main');
    expect(printed).toContain('the service answered 400: Not a payload. It will not be sent again.');
    expect(pending()).toEqual([]);
  });

  it('The output of git push says that the push is kept when the login is refused, without the secret', async () => {
    world.service.answer = (response) => response.writeHead(401).end('{"title":"No.","detail":""}');
    const printed = await push('main');
    expect(printed).toContain('answered 401: No. The push is kept');
    expect(printed).not.toContain(secret);
    expect(pending()).toHaveLength(1);
  });

  it('The output of git push says that the push is kept when the service cannot be reached', async () => {
    await world.service.close();
    expect(await push('main')).toContain('did not answer (ECONNREFUSED). The push is kept');
    expect(pending()).toHaveLength(1);
  });

  it('The output of git push says that the service is not running, and the push succeeds', async () => {
    await world.host.close();
    expect(await push('main')).toContain('remote: the deploy service is not running. The push is kept');
    expect(world.service.calls).toHaveLength(0);
    expect((await git(['--git-dir', remote, 'rev-parse', 'main'])).stdout).toMatch(/^[0-9a-f]{40}/);
  });

  it('The output of git push asks for a new start when the program of the hook is missing', async () => {
    await rm(join(world.dataDir, 'post-receive.mjs'));
    expect(await push('main')).toContain('Run npm start once');
  });
});

describe('Pending deliveries', () => {
  beforeEach(() => world.copy.commit('first', { a: '1' }));
  const settled = (condition: () => boolean) => expect.poll(condition, { interval: 25 }).toBe(true);

  it("Pending deliveries are the newest of each ref, and are sent at the next start with the host's new address", async () => {
    await world.host.close();
    await push('main');
    const second = await world.copy.commit('second', { a: '2' });
    await push('main');
    expect(pending()).toHaveLength(1);
    await open();
    await settled(() => world.service.calls.length > 0 && pending().length === 0);
    expect(world.service.calls).toHaveLength(1);
    expect(world.service.calls[0]?.payload).toMatchObject({
      after: second,
      repository: { html_url: `${world.host.url}/ada/hello.js` },
    });
    expect(lines.join('\n')).toContain('pushed earlier: deploy main');
  });

  it('Pending deliveries are sent again until the service answers, with the same delivery id', async () => {
    world.service.answer = (response) => response.writeHead(503).end();
    await world.host.close();
    await push('main');
    await open();
    await settled(() => world.service.calls.length >= 1);
    world.service.answer = (response) => response.writeHead(202).end('{"status":"queued"}');
    await settled(() => pending().length === 0);
    expect(new Set(world.service.calls.map(({ headers }) => headers['x-github-delivery'])).size).toBe(1);
  });

  it('Pending deliveries of one repository do not block those of another', async () => {
    await world.host.createRepository('ada', 'other');
    await world.host.close();
    await push('main');
    await world.copy.git('push', world.host.repositoryPath('ada', 'other'), 'main');
    const answered: unknown[] = [];
    world.service.answer = (response) => {
      const { full_name } = Object(world.service.calls.at(-1)?.payload.repository);
      answered.push(full_name);
      response.writeHead(full_name === 'ada/other' ? 202 : 500).end('{}');
    };
    await open();
    await settled(() => pending().length === 1 && answered.length >= 2);
    expect(answered.slice(0, 2).sort()).toEqual(['ada/hello.js', 'ada/other']);
  });

  it('Pending deliveries of several repositories are all counted by the round that sends them', async () => {
    await world.host.createRepository('ada', 'other');
    await world.host.close();
    await push('main');
    await world.copy.git('push', world.host.repositoryPath('ada', 'other'), 'main');
    world.service.answer = (response) => response.writeHead(503).end();
    await open();
    await settled(() => world.service.calls.length >= 2);
    world.service.answer = (response) => response.writeHead(202).end('{}');
    expect(await world.host.redeliver()).toEqual({ sent: 2, kept: 0 });
  });

  it('Pending deliveries of default branches stay, whatever others push: tags and other branches are not kept', async () => {
    await world.host.createRepository('ada', 'mirror');
    await world.host.createRepository('eve', 'mirror');
    await world.host.close();
    await push('main');
    const tags = Array.from({ length: 1001 }, (_, number) => `refs/tags/v${number} HEAD`);
    const file = join(world.folder, 'refs');
    await writeFile(file, tags.map((line) => `create ${line}\n`).join(''));
    await run(`git -C "${world.copy.path}" update-ref --stdin < "${file}"`);
    const printed = await world.copy.git(
      'push',
      world.host.repositoryPath('eve', 'mirror'),
      '--tags',
      'main',
      'main:side',
    );
    expect(printed.stderr).toContain('The push is kept and is deployed when it starts next');
    expect(printed.stderr).toMatch(/1 branch and 1001 tags of this push are not kept: only main is deployed\./);
    await world.copy.git('push', '--mirror', world.host.repositoryPath('ada', 'mirror'));
    expect(pending()).toHaveLength(3);
    await open();
    await settled(() => pending().length === 0);
    const sent = world.service.calls.map(({ payload }) => [Object(payload.repository).full_name, payload.ref]);
    const names = ['ada/hello.js', 'ada/mirror', 'eve/mirror'];
    expect(sent.sort()).toEqual(names.map((name) => [name, 'refs/heads/main']));
  });

  it('Pending deliveries are not made of another branch while the service is away, and the push says so', async () => {
    await push('main');
    await world.service.close();
    expect(await push('main:side')).toContain('did not answer (ECONNREFUSED). It will not be sent again.');
    await world.host.close();
    const printed = await push('main:other');
    expect(printed).toContain('remote: 1 branch of this push is not kept: only main is deployed.');
    expect(printed).not.toContain('is kept and');
    expect(pending()).toEqual([]);
  });

  it('Pending deliveries of other owners are sent while the login of one is refused', async () => {
    await world.host.createRepository('eve', 'hers');
    let others = 503;
    world.service.answer = (response) => {
      const { authorization = '' } = world.service.calls.at(-1)?.headers ?? {};
      const isRevoked = Buffer.from(authorization.slice('Basic '.length), 'base64').toString() === 'eve:revoked';
      response.writeHead(isRevoked ? 401 : others).end('{}');
    };
    await world.host.addOwner({ user: 'eve', secret: 'revoked' });
    await world.copy.git('push', world.host.repositoryPath('eve', 'hers'), 'main');
    await push('main');
    await world.host.close();
    await open();
    await world.host.addOwner({ user: 'eve', secret: 'revoked' });
    await world.host.redeliver();
    expect(pending()).toHaveLength(2);
    others = 202;
    await world.host.redeliver();
    expect(pending()).toHaveLength(1);
    await world.host.addOwner({ user: 'eve', secret: 'new' });
    await world.host.redeliver();
    expect(pending()).toEqual([]);
  });

  it('Pending deliveries are sent only once', async () => {
    await world.host.close();
    await push('main');
    await open();
    await settled(() => world.service.calls.length === 1);
    await world.host.close();
    await open();
    expect(await world.host.redeliver()).toEqual({ sent: 0, kept: 0 });
    expect(world.service.calls).toHaveLength(1);
  });

  it('Pending deliveries are not retried while the login is refused', async () => {
    world.service.answer = (response) => response.writeHead(401).end();
    await world.host.close();
    await push('main');
    await open();
    await settled(() => lines.length > 0);
    await new Promise((wait) => setTimeout(wait, 1200));
    expect(world.service.calls).toHaveLength(1);
    expect(pending()).toHaveLength(1);
  });

  it('Pending deliveries are not sent to another program on the port of a host that was killed', async () => {
    const running = join(world.dataDir, 'running.json');
    const announced = JSON.parse(readFileSync(running, 'utf8'));
    // Greater than any process id on Linux.
    await writeFile(running, JSON.stringify({ ...announced, pid: 2 ** 22 + 1 }));
    expect(await push('main')).toContain('not running');
    expect(world.service.calls).toHaveLength(0);
  });

  it('Pending deliveries are not sent when another process has got the id of a host that was killed', async () => {
    const running = join(world.dataDir, 'running.json');
    const announced = JSON.parse(readFileSync(running, 'utf8'));
    // This process runs, but it is not the one that started at that time.
    await writeFile(running, JSON.stringify({ ...announced, pid: process.pid, startTime: 'another boot 1' }));
    expect(await push('main')).toContain('not running');
    expect(world.service.calls).toHaveLength(0);
  });
});

describe('The data folder', () => {
  it('The data folder holds the secret in one file, readable by its owner only, while the host runs', async () => {
    const running = join(world.dataDir, 'running.json');
    expect(statSync(running).mode & 0o777).toBe(0o600);
    expect(statSync(world.dataDir).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(remote, 'hooks', 'post-receive'), 'utf8')).not.toContain(secret);
    await world.host.close();
    expect(existsSync(running)).toBe(false);
  });
});
