import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPush } from '../support/senders/github-push.ts';
import { application, entryAddress } from '../support/service/git-folder.ts';
import { repositories, type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

describe('what a push deploys', () => {
  let started: Started<ServiceUnderTest>;
  const repository = repositories(() => started);

  beforeAll(async () => {
    // The comparison with the tip could find a push before its webhook is called, and entries are counted here.
    started = await startForTest('pushes', { reconcileMinutes: 0 });
  });
  afterAll(async () => {
    await started.close();
  });

  it('a push waits for the call of any CI that has called for an earlier commit', async () => {
    const tree = await repository('checked');
    const first = tree.commit(application('checked', 'first'));
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    const call = (commit: string, state: string) =>
      started.hook(JSON.stringify({ commit, branch: 'main', repository: 'demo/checked', state }), {});
    expect((await call(first, 'running')).body).toMatchObject({ status: 'skipped', provider: 'ci' });
    const second = tree.commit(application('checked', 'second'));
    const held = entryAddress(await tree.push());
    expect(await started.until(held, 'held', 'ok', 'error')).toMatchObject({ status: 'held' });
    expect(await call(second, 'green')).toMatchObject({
      status: 400,
      body: { code: 'deploy:provider:not_supported', detail: expect.stringContaining('state is none of success, ') },
    });
    await call(second, 'Passed');
    const entry = await started.until(held, 'ok', 'error');
    expect(await (await fetch(entry.doc.url)).text()).toBe('second');
  });

  it('a commit without a package.json fails with an error code, under the previous name of the branch', async () => {
    const tree = await repository('nameless');
    tree.commit(application('nameless', 'works'));
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    tree.commit({ 'package.json': null });
    const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(entry).toMatchObject({ app_name: 'nameless', error: { code: 'deploy:repohost:no_pkg_json', status: 502 } });
    const page = await started.call('/1/status/demo/webhooks/nameless');
    expect(page.body.total).toBe(2);
  });

  it('a second repository with the same package name is refused, with both named, and replaces nothing', async () => {
    const [mine, theirs] = [await repository('first-owner'), await repository('second-owner')];
    mine.commit(application('owned', 'mine'));
    const { url } = await started.until(entryAddress(await mine.push()), 'ok', 'error');
    theirs.commit(application('owned', 'theirs'));
    const refused = await started.until(entryAddress(await theirs.push()), 'ok', 'error');
    expect(refused.error.code).toBe('deploy:platform:start_app');
    expect(refused.reason).toContain('belongs to demo/first-owner, and this is demo/second-owner.');
    expect(await (await fetch(url)).text()).toBe('mine');
  });

  it('two hooks deploy two applications of one repository from the same commit, and each has its build log', async () => {
    const tree = await repository('monorepo');
    const parts = ['web', 'api'];
    for (const part of parts) {
      const scripts = { build: `echo building ${part}`, start: 'node server.js' };
      const files = { ...application(part, part), 'package.json': JSON.stringify({ name: `mono-${part}`, scripts }) };
      const inFolder = Object.entries(files).map(([path, text]) => [`packages/${part}/${path}`, text]);
      tree.commit(Object.fromEntries(inFolder));
    }
    // The hook of the embedded host deploys the root, which is no application.
    await started.until(entryAddress(await tree.push()), 'error');
    const commit = { owner: 'demo', name: 'monorepo', sha: tree.git('rev-parse', 'HEAD') };
    const payload = githubPush(started.service.repoHost.url, commit);
    const headers = { 'x-github-event': 'push', 'x-github-delivery': 'the-same-delivery' };
    const answers = await Promise.all(
      parts.map((part) => started.hook(payload, headers, `?branch=main&path=./packages/${part}/`)),
    );
    for (const [index, { body }] of answers.entries()) {
      const part = parts[index] ?? '';
      const log = await started.call(`${body.id}/build-log?follow`);
      expect(log.headers.get('content-type')).toBe('application/x-ndjson');
      expect(log.body).toContain(`building ${part}`);
      const entry = await started.until(body.id, 'ok', 'error');
      expect(entry).toMatchObject({ status: 'ok', app_name: `mono-${part}`, doc: { path: `packages/${part}` } });
      expect(await (await fetch(entry.url)).text()).toBe(part);
    }
    expect((await started.call('/demo/monorepo.svg?path=packages/web', { login: null })).body).toContain(
      'deployment: ok',
    );
  });

  it('what is set is installed, built, served and started, by a push and by a clean redeploy', async () => {
    const tree = await repository('told');
    const app = '/1/apps/demo/told';
    const set = async (settings: object) => {
      const { status } = await started.call(`${app}/settings`, { method: 'PATCH', body: JSON.stringify(settings) });
      expect(status).toBe(200);
    };
    const answerTo = async (id: string) => {
      const entry = await started.until(id, 'ok', 'error');
      expect([entry.status, entry.reason]).toEqual(['ok', null]);
      return (await fetch(entry.doc.url)).text();
    };
    const [install, build] = ['mkdir site && echo installed > site/index.html', 'echo built >> site/index.html'];
    await set({ install, build, output: 'site' });
    const scripts = { build: 'exit 1', start: 'exit 1' };
    tree.commit({ ...application('told', 'started'), 'package.json': JSON.stringify({ name: 'told', scripts }) });
    expect(await answerTo(entryAddress(await tree.push()))).toBe('installed\nbuilt\n');
    expect((await started.call(`${app}/settings`)).body.found).toMatchObject({ install, build, output: 'site' });
    await set({ install: '', build: '', output: null, start: 'node server.js' });
    const redeploy = await started.call(`${app}/redeploy?clean=true`, {
      method: 'POST',
      headers: { prefer: 'wait=0' },
    });
    expect(await answerTo(redeploy.body.id)).toBe('started');
    expect((await started.call(`${app}/settings`)).body.found).toMatchObject({ install: '', start: 'node server.js' });
  });

  it('a forced push back to an earlier commit deploys that commit again', async () => {
    const tree = await repository('back');
    const old = tree.commit(application('back', 'old'));
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    tree.commit(application('back', 'new'));
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    const entry = await started.until(
      entryAddress(await tree.push('--force', `${old}:main`)),
      'ok',
      'error',
      'superseded',
    );
    expect(entry.status).toBe('ok');
    expect(await (await fetch(entry.doc.url)).text()).toBe('old');
  });

  it('another branch, a tag and a deleted branch are skipped and say why', async () => {
    const tree = await repository('skips');
    tree.commit(application('skips', 'x'));
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    tree.git('tag', 'v1');
    const reasons: string[] = [];
    for (const refs of [['main:feature/one'], ['v1'], ['--delete', 'feature/one']]) {
      const entry = await started.until(entryAddress(await tree.push(...refs)), 'skipped');
      reasons.push(entry.doc.reason);
    }
    expect(reasons[0]).toContain('run "hooks set skips branch=feature/one" before its next push');
    expect(reasons[1]).toMatch(/tag/i);
    expect(reasons[2]).toContain('feature/one');
  });
});
