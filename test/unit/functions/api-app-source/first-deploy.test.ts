import { beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;
let sha: string;

beforeEach(() => {
  world = appsWorld();
  sha = tip('main');
});

function tip(branch: string): string {
  const commit = world.host.commit({ owner: 'ann', name: 'store', files: { 'package.json': '{}', branch } });
  world.host.branch(commit, branch);
  return commit.sha;
}

const repository = { host: 'github', owner: 'ann', name: 'store' };
const post = (body: unknown) =>
  world.ask('POST', '/1/apps/{user}', {
    params: { user: 'ann' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  });

describe('POST /1/apps/<user>', () => {
  it('deploys the tip of the default branch of a repository that has never called', async () => {
    const { status, body } = await post({ repository });
    expect(status).toBe(202);
    expect(body).toMatchObject({ provider: 'manual', status: 'queued', commit: `ann/store/${sha}` });
    expect(await world.log.read('ann', 1)).toMatchObject({
      repository: { ...repository, private: false, url: 'https://github.example/ann/store' },
      ...{ sha, branch: 'main', ref: 'refs/heads/main', stage: 'check', ci: { waits: false }, message: 'suite' },
      ...{ kind: 'push', connects: true },
    });
    expect(world.queue.sent).toMatchObject([{ number: 1, stage: 'check' }]);
  });

  it('keeps the id of the repository, by which it is known after a rename', async () => {
    const { repository: describe } = world.host;
    world.host.repository = async (...asked) => ({ ...(await describe(...asked)), id: '7' });
    await post({ repository });
    expect(await world.log.read('ann', 1)).toMatchObject({ repository: { name: 'store', id: '7' } });
  });

  it('deploys another branch, a folder, and beside another one', async () => {
    const next = tip('next');
    await post({ repository: { ...repository, path: 'apps/web/' }, branch: 'next', environment: 'staging' });
    const entry = await world.log.read('ann', 1);
    expect(entry).toMatchObject({ sha: next, branch: 'next', path: 'apps/web', environment: 'staging' });
  });

  it.each([
    [{}, 'The body is JSON'],
    [{ repository: { host: 'github', owner: 'ann' } }, 'The body is JSON'],
    [{ repository, branch: 'none' }, 'ann/store has no branch none with a commit.'],
    [{ repository, branch: 'a b' }, 'branch'],
    [{ repository, branch: 7 }, 'The field branch must be a string.'],
    [{ repository, environment: '../x' }, 'environment'],
    [{ repository: { ...repository, path: '../x' } }, 'path'],
  ])('refuses %j and deploys nothing', async (body, words) => {
    const detail = expect.stringContaining(words);
    await expect(post(body)).rejects.toMatchObject({ code: 'request:bad_parameter', detail });
    expect(world.queue.sent).toEqual([]);
  });

  it('says why the host does not show the repository', async () => {
    world.host.failWith('repository', new DeployError('deploy:repohost:no_pkg_json', 'down'));
    await expect(post({ repository })).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json', detail: 'down' });
  });
});
