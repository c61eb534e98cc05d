import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stageNames } from '../../functions/core/pipeline/pipeline.ts';
import { application, entryAddress, gitFolder } from '../support/service/git-folder.ts';
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

  beforeAll(async () => {
    // The comparison with the tip could find a push before its webhook is called, and entries are counted here.
    started = await startForTest('push', { reconcileMinutes: 0 });
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
});
