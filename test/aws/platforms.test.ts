import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import type { Started } from '../support/service/started.ts';
import { DEPLOY } from '../support/template/costs.ts';
import { PLATFORMS } from './service/stack.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

/** The names of the functions in the template. */
const OF_A_DEPLOY = /^(?:Pipeline(?:stage|report|buildended)|Changessignal)/;

describe.each(PLATFORMS)('the way of an application on the platform %s', (platform) => {
  const app = '/1/apps/demo/journey';
  let started: Started<EmulatedService>;
  let tree: GitFolder;

  beforeAll(async () => {
    started = await startStackForTest(platform, { name: `way-${platform}` });
    await started.service.repoHost.createRepository('demo', 'journey');
    tree = gitFolder(started.service.repoHost.repositoryPath('demo', 'journey'));
  });
  afterAll(async () => {
    await started?.close();
  });

  /** Pushes, and returns the entry of the deploy when it has ended. */
  async function push(files: Record<string, string>) {
    tree.commit(files);
    return started.until(entryAddress(await tree.push()), 'ok', 'error');
  }
  const operate = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const answer = await started.call(`${app}${path}`, init);
    const entry = answer.body.restart ?? answer.body;
    return started.until(entry.id, 'ok', 'error');
  };
  const page = async () => (await fetch((await started.call(app)).body.url)).text();
  const answers = (text: string) => ({
    ...application('journey', text),
    'server.js': `require('node:http').createServer((_, response) => {
      response.end(${JSON.stringify(text)} + (process.env.SUFFIX ?? ''));
    }).listen(process.env.PORT, process.env.HOST);\n`,
  });

  it('a push becomes an application that answers', async () => {
    const entry = await push(answers('one'));
    expect(entry).toMatchObject({ status: 'ok', app_name: 'journey' });
    expect(await (await fetch(entry.doc.url)).text()).toBe('one');
  });

  if (platform === 'aws-lambda') {
    it('a deploy takes as many function runs as its costs are computed from', async () => {
      const { runtime } = started.service;
      const runs = () => {
        const counted = [...runtime.invocations()].filter(([name]) => OF_A_DEPLOY.test(name));
        return counted.reduce((sum, [, count]) => sum + count, 0);
      };
      const oneDeploy = async () => {
        const before = runs();
        await push(answers('one'));
        // One that takes the webhook and one that checks its login.
        const taken = () => runs() - before + 2;
        await vi.waitFor(() => expect(taken()).toBeGreaterThanOrEqual(DEPLOY.runs), { timeout: 60_000 });
        for (let seen = 0; seen !== taken(); await pause(1000)) seen = taken();
        return taken();
      };
      // On a slow machine the records of a stream come in more batches.
      let least = await oneDeploy();
      for (let tries = 1; least > DEPLOY.runs && tries < 4; tries += 1) least = Math.min(least, await oneDeploy());
      expect(least).toBe(DEPLOY.runs);
    });
  }

  it('a second push replaces it at the same address', async () => {
    const before = (await started.call(app)).body.url;
    const entry = await push(answers('two'));
    expect(entry).toMatchObject({ status: 'ok', doc: { url: before } });
    expect(await page()).toBe('two');
  });

  it('a build that fails says why, and the application stays as it was', async () => {
    const scripts = { start: 'node server.js', build: 'echo "page.html(3): error: no title"; exit 4' };
    const manifest = JSON.stringify({ name: 'journey', version: '1.0.0', scripts });
    const entry = await push({ ...answers('broken'), 'package.json': manifest });
    expect(entry.error.code).toBe('deploy:tar:extract_failed');
    expect(entry.reason).toBe('npm run build exited with code 4: page.html(3): error: no title.');
    expect(entry.doc.log_tail).toContain('page.html(3): error: no title');
    expect((await started.call(`${entry.id}/build-log`)).body).toContain('page.html(3): error: no title');
    expect(await page()).toBe('two');
  });

  it('a start that fails says why, and the application stays as it was', async () => {
    const entry = await push({ ...answers('broken'), 'server.js': 'this is no JavaScript' });
    expect(entry.error).toMatchObject({ code: 'deploy:platform:start_app', status: 500 });
    expect(entry.reason).toMatch(/\bSyntaxError: .+ \(server\.js:1\)$/);
    expect(entry.doc.log_tail).toEqual(expect.arrayContaining([expect.stringMatching(/^(?:\S+\/)?server\.js:1$/)]));
    expect(await page()).toBe('two');
  });

  it('a rollback brings the deploy before back', async () => {
    expect(await operate('POST', '/rollback')).toMatchObject({ status: 'ok', operation: 'rollback' });
    expect(await page()).toBe('one');
  });

  it('a variable is there after the restart that it starts, and after the next push', async () => {
    expect((await operate('PUT', '/env/SUFFIX', { value: ' more' })).status).toBe('ok');
    expect(await page()).toBe('one more');
    expect((await push(answers('three'))).status).toBe('ok');
    expect(await page()).toBe('three more');
  });

  // On the embedded platform it is in test/service/previews.both.test.ts.
  if (platform === 'aws-lambda') {
    it('a pull request has a preview with the variables that are marked, until it is closed', async () => {
      await operate('PUT', '/env/SUFFIX?previews=true', { value: ' marked' });
      const sha = tree.commit(answers('preview'));
      await tree.push('main:changes');
      const tell = async (action: string, ...ends: string[]) => {
        const commit = { host: 'local', owner: 'demo', name: 'journey', sha };
        const { body, headers } = githubPullRequest({ action, number: 7, commit });
        const at = `${started.service.repoHost.url}/demo/journey`;
        const here = JSON.parse(JSON.stringify(body).replaceAll('https://memory.example.com/demo/journey', at));
        return started.until((await started.hook(here, headers, '?previews=true')).body.id, ...ends);
      };
      const entry = await tell('opened', 'ok', 'error');
      expect(entry).toMatchObject({ status: 'ok', app_name: 'journey-pr-7', preview_of: 'journey' });
      expect(await (await fetch(entry.url)).text()).toBe('preview marked');
      await tell('closed', 'skipped');
      const { body } = await started.call('/1/status/demo/webhooks/journey-pr-7');
      expect(await started.until(body.rows[0].id, 'ok', 'error')).toMatchObject({ status: 'ok', operation: 'remove' });
      expect((await started.call('/1/apps/demo/journey-pr-7')).status).toBe(404);
      expect((await started.call('/1/apps/demo/journey-pr-7/settings')).status).toBe(404);
      expect(await page()).toBe('three marked');
    });
  }

  // On the embedded platform it takes five crashes, which its own tests wait for.
  if (platform === 'aws-lambda') {
    it('an application that ends and does not start again is crashed, with its last lines', async () => {
      const broken = join(tree.folder, 'broken');
      const server = `const fs = require('node:fs');
        if (fs.existsSync(${JSON.stringify(broken)})) throw new Error('no table');
        require('node:http').createServer(({ url }, response) => {
          if (url === '/end') process.exit(3);
          response.end('well');
        }).listen(process.env.PORT, process.env.HOST);`;
      const entry = await push({ ...answers('well'), 'server.js': server });
      writeFileSync(broken, '');
      expect((await fetch(`${entry.url}/end`)).status).toBe(502);
      const crashed = await started.until(entry.id, 'crashed');
      expect(crashed.reason).toBe('The application crashed and does not start again: Error: no table (server.js:2).');
      expect(crashed.doc.log_tail).toContain('Error: no table');
      expect((await started.call(app)).body.state).toBe('crashed');
      rmSync(broken);
    });
  }
});
