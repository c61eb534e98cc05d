import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import type { Started } from '../support/service/started.ts';
import { DEPLOY } from '../support/template/costs.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

/** The names of the functions in the template. */
const OF_A_DEPLOY = /^(?:Pipeline(?:stage|report|buildended)|Changessignal)/;

// What holds on one machine too is in test/service/*.both.test.ts.
describe('an application on AWS Lambda', () => {
  let started: Started<EmulatedService>;
  let tree: GitFolder;

  beforeAll(async () => {
    started = await startStackForTest({ name: 'aws-lambda' });
    await started.service.repoHost.createRepository('demo', 'journey');
    tree = gitFolder(started.service.repoHost.repositoryPath('demo', 'journey'));
  });
  afterAll(async () => {
    await started?.close();
  });

  /** Pushes, and returns the entry of the deploy when it has ended. */
  async function push(files: Record<string, string | null>) {
    tree.commit(files);
    return started.until(entryAddress(await tree.push()), 'ok', 'error');
  }

  it('takes as many function runs to deploy as its costs are computed from', async () => {
    const { runtime } = started.service;
    const built = JSON.stringify({ name: 'journey', version: '1.0.0', scripts: { build: 'true' } });
    const runs = () => {
      const counted = [...runtime.invocations()].filter(([name]) => OF_A_DEPLOY.test(name));
      return counted.reduce((sum, [, count]) => sum + count, 0);
    };
    const oneDeploy = async () => {
      const before = runs();
      expect(await push({ ...application('journey', 'one'), 'package.json': built })).toMatchObject({ status: 'ok' });
      // One that takes the webhook and one that checks its login.
      const taken = () => runs() - before + 2;
      await vi.waitFor(() => expect(taken()).toBeGreaterThanOrEqual(DEPLOY.runs), { timeout: 60_000 });
      for (let seen = 0; seen !== taken(); await pause(1000)) seen = taken();
      return taken();
    };
    // The first one also makes what later ones find.
    await oneDeploy();
    // On a slow machine the records of a stream come in more batches.
    let least = await oneDeploy();
    for (let tries = 1; least > DEPLOY.runs && tries < 4; tries += 1) least = Math.min(least, await oneDeploy());
    expect(least).toBe(DEPLOY.runs);
  });

  it('is live without a build where nothing is installed and nothing built: a server, and a site', async () => {
    const builds = () =>
      [...started.service.runtime.invocations()].filter(([name]) => /^Pipelinebuildended/.test(name));
    const before = builds();
    const served = async (files: Record<string, string | null>) => {
      const { status, url } = await push(files);
      return [status, await (await fetch(url)).text()];
    };
    expect(await served(application('journey', 'as it is'))).toEqual(['ok', 'as it is']);
    const site = { 'package.json': '{"name":"journey"}', 'server.js': null, 'public/index.html': 'a site' };
    expect(await served(site)).toEqual(['ok', 'a site']);
    expect(builds()).toEqual(before);
  });

  it('is built with its variables, whose values its log does not show, and runs its release command then', async () => {
    const set = (name: string, value: string) =>
      started.call(`/1/apps/demo/journey/env/${name}?restart=false`, {
        method: 'PUT',
        body: JSON.stringify({ value }),
      });
    await set('VITE_TITLE', 'a title with words');
    await set('DATABASE_PASSWORD', 'of-the-database-1');
    const build = `node -e "require('fs').writeFileSync('index.html', process.env.VITE_TITLE)" && echo "with $DATABASE_PASSWORD"`;
    const migrate = (end: string) => `echo "migrates with $DATABASE_PASSWORD" && ${end}`;
    const manifest = (text: string) => JSON.stringify({ name: 'journey', scripts: { build: text } });
    const pages = { 'server.js': null, 'public/index.html': null, 'package.json': manifest(build) };
    const live = await push({
      ...pages,
      Procfile: `release: ${migrate('mv index.html migrated.html && mkdir dist && mv migrated.html dist/index.html')}`,
    });
    expect(live).toMatchObject({ status: 'ok' });
    expect(await (await fetch(live.url)).text()).toBe('a title with words');
    const log = (await started.call(`${live.id}/build-log`)).body;
    expect([log.includes('with ***'), log.includes('of-the-database-1')]).toEqual([true, false]);
    const failed = await push({
      Procfile: `release: ${migrate('echo "Error: no table of-the-database-1" && exit 3')}`,
    });
    expect(failed).toMatchObject({ status: 'error' });
    expect(failed.reason).toBe('The release command of the Procfile exited with code 3: Error: no table ***.');
    expect(await (await fetch(live.url)).text()).toBe('a title with words');
    await push({ Procfile: null });
  });

  it('is crashed, with its last lines without values of variables, when it ends and does not start again', async () => {
    const path = '/1/apps/demo/journey/env/PASSWORD?restart=false';
    await started.call(path, { method: 'PUT', body: JSON.stringify({ value: 'of the database' }) });
    const broken = join(tree.folder, 'broken');
    const server = `const fs = require('node:fs');
      if (fs.existsSync(${JSON.stringify(broken)})) throw new Error('no table ' + process.env.PASSWORD);
      require('node:http').createServer(({ url }, response) => {
        if (url === '/end') process.exit(3);
        response.end('well');
      }).listen(process.env.PORT, process.env.HOST);`;
    const entry = await push({ ...application('journey', 'well'), 'server.js': server });
    writeFileSync(broken, '');
    expect((await fetch(`${entry.url}/end`)).status).toBe(502);
    const crashed = await started.until(entry.id, 'crashed');
    expect(crashed.reason).toBe('The application crashed and does not start again: Error: no table *** (server.js:2).');
    expect(crashed.doc.log_tail).toContain('Error: no table ***');
    expect((await started.call('/1/apps/demo/journey')).body.state).toBe('crashed');
    rmSync(broken);
  });
});
