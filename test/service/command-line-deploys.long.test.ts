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
  const hooks = (args: string | readonly string[]): Promise<CliRun> => cli(args, { env: env(), folder: tree.folder });
  const repositoryOf = (app: string) => started.service.repoHost.repositoryPath('demo', app);
  const answers = async () => (await fetch(address)).text();

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
});
