import { beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(() => {
  world = appsWorld();
});

function deploy(ref?: string, application = 'shop') {
  const params = { user: 'ann', application };
  return world.ask('POST', '/1/apps/{user}/{application}/deploy', { params, query: ref === undefined ? {} : { ref } });
}

/** Makes a commit of ann/shop the tip of a branch. */
function tip(branch: string): string {
  const commit = world.host.commit({ owner: 'ann', name: 'shop', files: { 'package.json': '{}', branch } });
  world.host.branch(commit, branch);
  return commit.sha;
}

describe('POST /1/apps/<user>/<application>/deploy', () => {
  it('deploys the tip of a branch from the first stage, without waiting for CI', async () => {
    await world.deployed('shop');
    const sha = tip('feature/one');
    const { status, body } = await deploy('feature/one');
    expect(status).toBe(202);
    expect(body).toMatchObject({ provider: 'manual', status: 'queued', commit: `ann/shop/${sha}` });
    expect(await world.log.read('ann', 2)).toMatchObject({
      branch: 'feature/one',
      ref: 'refs/heads/feature/one',
      stage: 'check',
      ci: { waits: false },
      message: 'suite',
      author: 'Ada',
    });
    expect(world.queue.sent).toMatchObject([{ number: 2, stage: 'check' }]);
  });

  it('deploys the branch of the newest deploy by default, and takes the ref of a branch', async () => {
    await world.deployed('shop');
    const sha = tip('master');
    expect((await deploy()).body.commit).toBe(`ann/shop/${sha}`);
    expect((await deploy('refs/heads/master')).body.commit).toBe(`ann/shop/${sha}`);
  });

  it('deploys a commit by its whole id, which the stages look up', async () => {
    await world.deployed('shop');
    world.host.failWith('tip', new DeployError('deploy:repohost:no_pkg_json', 'down'));
    const { body } = await deploy('B'.repeat(40));
    expect(body.commit).toBe(`ann/shop/${'b'.repeat(40)}`);
    expect(await world.log.read('ann', 2)).toMatchObject({ branch: 'master', ref: null });
  });

  it.each(['', 'a b', 'x'.repeat(300)])('refuses the ref %j', async (ref) => {
    await world.deployed('shop');
    await expect(deploy(ref)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('refuses a branch that does not exist', async () => {
    await world.deployed('shop');
    tip('master');
    await expect(deploy('nowhere')).rejects.toMatchObject({
      code: 'request:bad_parameter',
      detail: expect.stringContaining('ann/shop has no branch nowhere'),
    });
    expect(world.queue.sent).toEqual([]);
  });

  it('fails as the repository host does', async () => {
    await world.deployed('shop');
    world.host.failWith('tip', new DeployError('deploy:repohost:no_pkg_json', 'down'));
    await expect(deploy('master')).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
  });

  it('is not found for an application without a deploy, whose repository is not known', async () => {
    await expect(deploy()).rejects.toMatchObject({ code: 'status:db:not_found' });
  });
});
