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
});
