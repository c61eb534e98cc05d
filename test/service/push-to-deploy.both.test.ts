import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stageNames } from '../../functions/core/pipeline/pipeline.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import {
  isStack,
  repositories,
  type ServiceUnderTest,
  type Started,
  startForTest,
} from '../support/service/started.ts';

describe('push to deploy on one machine', () => {
  let started: Started<ServiceUnderTest>;
  const repository = repositories(() => started);
  /** It was live and crashes again and again. Its pauses are as long as the tests before that one. */
  let unstable: { readonly tree: GitFolder; readonly address: string };

  beforeAll(async () => {
    // The comparison with the tip could find a push before its webhook is called, and entries are counted here.
    started = await startForTest('push', { reconcileMinutes: 0 });
    if (!isStack) unstable = await crashing();
  });
  afterAll(async () => {
    await started.close();
  });

  it('a push deploys an application that answers, and its entry lists each stage', async () => {
    const tree = await repository('shop');
    const sha = tree.commit(application('shop', 'first'));
    const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    const provider = isStack ? 'github' : 'git';
    expect(entry).toMatchObject({ status: 'ok', app_name: 'shop', provider, commit: `demo/shop/${sha}` });
    expect(entry.doc.stages.map((stage: { name: string }) => stage.name)).toEqual(stageNames);
    expect(await (await fetch(entry.doc.url)).text()).toBe('first');
  });

  it('the first push to a name of one’s own creates the repository, shows each stage, and ends with the address', async () => {
    const { repoHost, login } = started.service;
    const made = await started.call('/1/auth/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'laptop' }),
    });
    const remote = (secret: string) => repoHost.cloneUrl('demo', 'mine').replace('//', `//demo:${secret}@`);
    const tree = gitFolder(remote(made.body.token));
    // Not main: the branch that is pushed first is the one that is deployed.
    tree.commit(application('mine', 'my own'));
    const printed = await tree.pushAndWatch('main:trunk');
    const entry = await started.call(`${entryAddress(printed)}?include_docs=true`);
    expect(entry.body).toMatchObject({ status: 'ok', app_name: 'mine', doc: { branch: 'trunk' } });
    expect(printed).toMatch(/remote: {3}✓ check .* mine 1\.0\.0 *\n(remote: {3}✓ .*\n){4}remote: live after .*: http:/);
    expect(printed).toContain(entry.body.doc.url);
    expect(printed).not.toContain(made.body.token);

    tree.git('remote', 'set-url', 'origin', remote(login.password));
    tree.commit({ 'server.js': 'this is no JavaScript' });
    const failed = await tree.pushAndWatch('main:trunk');
    expect(failed).toMatch(/remote: {3}✗ start .*\nremote: deploy:platform:start_app {2}.*SyntaxError: .*server\.js:1/);
    expect(await (await fetch(entry.body.doc.url)).text()).toBe('my own');
    expect(await tree.pushAndWatch('main:side')).toMatch(
      /remote: deploy side .*skipped: The branch is side; only the /,
    );
  });

  it('a second push replaces the application without a failed request', async () => {
    const tree = await repository('swap');
    tree.commit(application('swap', 'old'));
    const first = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    const seen: string[] = [];
    let swapping = true;
    const requests = (async () => {
      while (swapping) {
        const answer = await fetch(first.doc.url);
        seen.push(`${answer.status} ${await answer.text()}`);
        await setTimeout(5);
      }
    })();
    tree.commit(application('swap', 'new'));
    const second = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    await expect.poll(() => seen).toContain('200 new');
    swapping = false;
    await requests;
    expect(second.doc.url).toBe(first.doc.url);
    expect([...new Set(seen)]).toEqual(['200 old', '200 new']);
  });

  it('the old application keeps answering when the new one fails to start, and the entry says why in one line', async () => {
    const tree = await repository('broken');
    tree.commit(application('broken', 'works'));
    const { doc } = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    tree.commit({ 'server.js': 'this is no JavaScript' });
    const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(entry.error).toMatchObject({ code: 'deploy:platform:start_app', status: 500 });
    expect(entry.reason).toMatch(/\bSyntaxError: .+ \(server\.js:1\)$/);
    expect(entry.doc.log_tail).toEqual(expect.arrayContaining([expect.stringMatching(/^(?:\S+\/)?server\.js:1$/)]));
    expect(await (await fetch(doc.url)).text()).toBe('works');
  });

  it('a push is built before it serves, both with its commit, and a build that fails says its command and keeps the old application', async () => {
    const tree = await repository('built');
    const manifest = (build: string) =>
      JSON.stringify({ name: 'built', version: '1.0.0', scripts: { build }, devDependencies: {} });
    const commit = tree.commit({
      'package.json': manifest('printf "of $SOURCE_VERSION" > built'),
      'server.js': `const built = require('node:fs').readFileSync('built');
        require('node:http').createServer((_, response) => response.end(built + ' ' + process.env.SOURCE_VERSION))
          .listen(process.env.PORT, process.env.HOST);`,
    });
    const { doc } = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(await (await fetch(doc.url)).text()).toBe(`of ${commit} ${commit}`);
    tree.commit({ 'package.json': manifest('echo "page.html(3): error: no title"; exit 4') });
    const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(entry.error.code).toBe('deploy:tar:extract_failed');
    expect(entry.reason).toBe('npm run build exited with code 4: page.html(3): error: no title.');
    expect(entry.doc.log_tail).toContain('page.html(3): error: no title');
    expect((await started.call(`${entry.id}/build-log`)).body).toContain('page.html(3): error: no title');
    expect(await (await fetch(doc.url)).text()).toBe(`of ${commit} ${commit}`);
  });

  it('after several pushes in quick succession the last one is live, and none overtakes another', async () => {
    const tree = await repository('hurry');
    const addresses: string[] = [];
    for (const text of ['one', 'two', 'three', 'four']) {
      tree.commit(application('hurry', text));
      addresses.push(entryAddress(await tree.push()));
    }
    const finals = ['ok', 'error', 'superseded'];
    const entries = await Promise.all(addresses.map((address) => started.until(address, ...finals)));
    expect(entries.at(-1).status).toBe('ok');
    expect(entries.every(({ status }) => status === 'ok' || status === 'superseded')).toBe(true);
    expect(await (await fetch(entries.at(-1).doc.url)).text()).toBe('four');
  });

  // On AWS Lambda an application is crashed at once, which test/aws/aws-lambda.test.ts shows, and has no DATA_DIR.
  if (!isStack) {
    it('an application that crashes after its deploy is shown as crashed, and as ok when it answers again', async () => {
      const { tree, address } = unstable;
      const crashed = await started.until(address, 'crashed', 'error');
      expect(crashed.reason).toMatch(
        /^The application crashed too often and is tried again every minute: Error: no memory \(server\.js:5\)\.$/,
      );
      expect(crashed.doc.log_tail.join('\n')).toContain('Error: no memory');
      expect((await started.call('/demo/unstable.svg', { login: null })).body).toContain('deployment: crashed');
      tree.commit(application('unstable', 'up'));
      await started.until(entryAddress(await tree.push()), 'ok', 'error');
      expect((await started.call(`${address}?include_docs=true`)).body.status).toBe('crashed');
      expect((await started.call('/demo/unstable.svg', { login: null })).body).toContain('deployment: ok');
    });
  }

  it('the badge shows the outcome at both addresses, without a login', async () => {
    for (const path of ['/demo/shop.svg', '/1/badge/demo/shop.svg']) {
      const badge = await started.call(path, { login: null });
      expect(badge.body).toContain('deployment: ok');
      expect(badge.headers.get('cache-control')).toBe('no-cache, max-age=0');
      const headers = { 'if-none-match': badge.headers.get('etag') ?? '' };
      expect((await started.call(path, { login: null, headers })).status).toBe(304);
    }
    expect((await started.call('/nobody/nothing.svg', { login: null })).body).toContain('deployment: unknown');
  });

  // The repository host of a stack is a part of its tests, and calls the webhook with the password.
  if (!isStack) {
    // The last one: the password of this address is slowed down afterwards.
    it('wrong passwords from this machine hold up no push and nobody with an API token', async () => {
      const { login, repoHost, url } = started.service;
      const headers = { 'content-type': 'application/json' };
      const name = JSON.stringify({ name: 'among guessers' });
      const made = await started.call('/1/auth/tokens', { method: 'POST', headers, body: name });
      const places = [
        `${url}/1/status/demo/webhooks`,
        `${repoHost.cloneUrl('demo', 'shop')}/info/refs?service=git-receive-pack`,
      ];
      const answered = new Set<number>();
      const stop = new AbortController();
      const guess = async (place: string) => {
        const authorization = `Basic ${btoa(`demo:guess ${Math.random()}`)}`;
        answered.add((await fetch(place, { headers: { authorization } })).status);
      };
      const guesser = async (place: string) => {
        while (!stop.signal.aborted) {
          await guess(place);
          await setTimeout(200);
        }
      };
      const guessers = Array.from({ length: 12 }, (_, number) => guesser(places[number % 2] ?? ''));
      try {
        await expect.poll(() => answered.has(429)).toBe(true);
        const tree = gitFolder(repoHost.cloneUrl('demo', 'calm').replace('//', `//demo:${login.password}@`));
        for (const text of ['first', 'second']) {
          tree.commit(application('calm', text));
          expect(await tree.pushAndWatch()).toMatch(
            /remote: deploy main .* (?:queued|running)[\s\S]*remote: live after/,
          );
          const user = { headers: { authorization: `Basic ${btoa(`demo:${made.body.token}`)}` } };
          for (const place of places) expect((await fetch(place, user)).status).toBe(200);
        }
      } finally {
        stop.abort();
        await Promise.all(guessers);
      }
      expect([...answered].sort()).toEqual([401, 429]);
    });
  }

  /** Deploys an application that crashes from its second request on. */
  async function crashing() {
    const tree = await repository('unstable');
    // Not by a time: it would be a failed start where the machine is slow.
    const crashes = `const { existsSync, writeFileSync } = require('node:fs');
    const mark = process.env.DATA_DIR + '/crash';
    require('node:http').createServer((request, response) => {
      if (request.url === '/crash') writeFileSync(mark, '');
      response.end('up', () => { if (existsSync(mark)) throw new Error('no memory'); });
    }).listen(process.env.PORT, process.env.HOST);\n`;
    tree.commit({ ...application('unstable', 'up'), 'server.js': crashes });
    const address = entryAddress(await tree.push());
    const { url } = await started.until(address, 'ok', 'error');
    await fetch(`${url}/crash`);
    return { tree, address };
  }
});
