import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliRun, cli } from '../support/cli.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { testFolder } from '../support/service/place.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const name = 'deploys';
const dataDir = join(testFolder, `${name}-${process.pid}`);

describe('the command line, for an application that is live', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;
  let address = '';

  const env = () => ({ PATH: process.env.PATH, HOME: tree.folder, GIT_CONFIG_NOSYSTEM: '1', DATA_DIR: dataDir });
  const hooks = (args: string | readonly string[], more: { stdin?: string } = {}): Promise<CliRun> =>
    cli(args, { env: env(), folder: tree.folder, ...more });
  const repositoryOf = (app: string) => started.service.repoHost.repositoryPath('demo', app);
  const answers = async () => (await fetch(address)).text();
  const fromVariable = {
    'server.js': `console.log('up');
require('node:http').createServer((_, response) => response.end(process.env.TEXT)).listen(process.env.PORT, process.env.HOST);\n`,
  };

  beforeAll(async () => {
    started = await startForTest(name);
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
    tree.commit(application('shop', 'first'));
    address = /: (\S+)\n$/.exec((await hooks('deploy')).out)?.[1] ?? '';
    expect((await hooks('create shop')).code).toBe(0);
  });
  afterAll(async () => {
    await started?.close();
  });

  it('says in the output of git push which variable is missing, and how to set it', async () => {
    const check = "if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set');\n";
    tree.commit({ 'server.js': check + fromVariable['server.js'] }, 'needs a variable');
    const { stderr } = await promisify(execFile)('git', ['push', 'hooks', 'main'], { cwd: tree.folder, env: env() });
    expect(stderr).toMatch(
      /^remote: .*DATABASE_URL is not set.* Set DATABASE_URL with "hooks env set DATABASE_URL=- --app shop", also before a deploy\./m,
    );
    expect(await answers()).toBe('first');
  });

  it('sets variables, which stay across deploys', async () => {
    expect((await hooks('env set TEXT=-', { stdin: 'from a variable\n' })).code).toBe(0);
    tree.commit(fromVariable);
    expect((await hooks('deploy')).code).toBe(0);
    expect(await answers()).toBe('from a variable');
    expect((await hooks('env set TEXT=changed')).code).toBe(0);
    expect(await answers()).toBe('changed');
    expect((await hooks('env')).out).toBe('TEXT\n');
    expect((await hooks('env --values')).out).toBe('TEXT=changed\n');
  });

  it('prints what the application and its build have printed', async () => {
    expect((await hooks('logs')).out).toMatch(/^up$/m);
    expect((await hooks('build-log')).code).toBe(0);
  });

  it('deploys the same commit once more', async () => {
    const { code, out, err } = await hooks('deploy');
    expect([code, out, err]).toEqual([0, expect.stringContaining('shop is live'), expect.stringContaining('again')]);
    expect((await hooks('redeploy shop')).code).toBe(0);
    expect((await hooks('deploy shop')).code).toBe(0);
  });

  it('follows another branch after hooks set branch, and the one before does nothing then', async () => {
    expect((await hooks('set')).out).toMatch(/^branch +main /);
    expect((await hooks('set shop branch=none')).err).toContain('demo/shop has no branch none.');
    tree.commit(application('shop', 'aside'));
    const push = (refs: string) =>
      promisify(execFile)('git', ['push', 'hooks', refs], { cwd: tree.folder, env: env() });
    await push('main:aside');
    const moved = await hooks('set shop branch=aside');
    expect([moved.code, moved.out]).toEqual([0, expect.stringMatching(/^branch +aside /)]);
    expect(moved.err).toContain('aside is the default branch of demo/shop now. Nothing is deployed by that');
    expect((await hooks('deploy shop')).code).toBe(0);
    expect(await answers()).toBe('aside');
    await push('main:main');
    expect(await answers()).toBe('aside');
    tree.commit(application('shop', 'aside again'));
    await push('main:aside');
    expect((await hooks(['watch', '--exit-status', '--commit', tree.git('rev-parse', 'HEAD')])).code).toBe(0);
    expect(await answers()).toBe('aside again');
    await promisify(execFile)('git', ['-C', repositoryOf('shop'), 'symbolic-ref', 'HEAD', 'refs/heads/main']);
    tree.commit(application('shop', 'main again'));
    await push('main:main');
    expect((await hooks(['watch', '--exit-status', '--commit', tree.git('rev-parse', 'HEAD')])).code).toBe(0);
    expect([(await hooks('set')).out, await answers()]).toEqual([
      expect.stringMatching(/^branch +main /),
      'main again',
    ]);
  });

  it('makes a token that can log in and that can be revoked', async () => {
    const token = (await hooks('tokens create ci')).out.trim();
    const asToken = { ...env(), HOOKS_URL: started.service.url, HOOKS_USER: 'demo', HOOKS_SECRET: token };
    expect((await cli('status', { env: asToken })).code).toBe(0);
    expect((await hooks('tokens')).out).toMatch(/^ci /m);
    expect((await hooks('tokens revoke ci')).code).toBe(0);
    await expect.poll(async () => (await cli('status', { env: asToken })).code).toBe(1);
  });
});
