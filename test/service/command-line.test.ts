import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliRun, cli } from '../support/cli.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { testFolder } from '../support/service/place.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const name = 'cli';
const dataDir = join(testFolder, `${name}-${process.pid}`);

/** The whole life of an application, by the command line alone. */
describe('the command line on one machine', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;
  let address = '';

  const env = () => ({ PATH: process.env.PATH, HOME: tree.folder, GIT_CONFIG_NOSYSTEM: '1', DATA_DIR: dataDir });
  const hooks = (args: string | readonly string[]): Promise<CliRun> => cli(args, { env: env(), folder: tree.folder });
  const answers = async () => (await fetch(address)).text();
  beforeAll(async () => {
    started = await startForTest(name);
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
  });
  afterAll(async () => {
    await started?.close();
  });

  it('deploys a folder that has no remote', async () => {
    tree.commit(application('shop', 'first'));
    const { code, out, err } = await hooks('deploy');
    expect([code, err]).toEqual([0, '']);
    address = /^#\d+ shop is live: (\S+)\n$/.exec(out)?.[1] ?? '';
    expect(await answers()).toBe('first');
    expect((await hooks('open')).out).toBe(`${address}\n`);
    expect((await hooks('apps')).out).toMatch(/^shop +running +http:\S+ +demo\/shop main +#\d+$/m);
  });

  it('connects the folder, so that git pushes without a password of its own', async () => {
    expect((await hooks('create shop')).code).toBe(0);
    tree.commit(application('shop', 'second'));
    // The service runs in this process, so git must not block it.
    await promisify(execFile)('git', ['push', 'hooks', 'main'], { cwd: tree.folder, env: env() });
    const sha = tree.git('rev-parse', 'HEAD');
    expect((await hooks(['watch', '--exit-status', '--commit', sha])).code).toBe(0);
    expect(await answers()).toBe('second');
  });

  it('says why a deploy failed and why a push did nothing', async () => {
    tree.commit({ 'server.js': 'this is no JavaScript' }, 'broken');
    const failed = await hooks('deploy');
    expect([failed.code, failed.out]).toEqual([1, '']);
    expect(failed.err).toContain('SyntaxError');
    await promisify(execFile)('git', ['push', 'hooks', 'main:feature/one'], { cwd: tree.folder, env: env() });
    await expect.poll(async () => (await hooks('status')).out).toMatch(/skipped .*feature\/one/);
    expect((await hooks('status shop')).out).toMatch(/error .*SyntaxError/);
    expect(await answers()).toBe('second');
  });

  it('rolls back, stops and starts', async () => {
    expect((await hooks('rollback')).code).toBe(0);
    expect(await answers()).toBe('first');
    expect((await hooks('stop')).out).toMatch(/shop is stopped/);
    expect((await hooks('apps')).out).toMatch(/^shop +stopped/m);
    expect((await hooks('restart')).code).toBe(0);
    expect(await answers()).toBe('first');
  });

  it('removes the application, and its log stays', async () => {
    const { code, out } = await hooks('remove shop --yes');
    expect([code, out]).toEqual([0, expect.stringContaining('shop is removed.')]);
    expect((await hooks('apps')).err).toContain('There is no application yet');
    expect((await hooks('status shop')).out).toContain('remove');
  });
});
