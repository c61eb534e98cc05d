import { mkdirSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { git, whereIs } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

let remote: string;

const world = repoHostWorld(async () => {
  const host = await open();
  await host.createRepository('ada', 'hello.js');
  remote = host.repositoryPath('ada', 'hello.js');
});
const open = () => world.start();
const push = async (...args: string[]) => (await world.copy.git('push', remote, ...args)).stderr;
const notNow = () => {
  throw new DeployError('deploy:db:failed_to_store_payload', 'The database is away.');
};

describe('A push', () => {
  it('that is forced says so', async () => {
    await world.copy.commit('first', { a: '1' });
    await push('main');
    await world.copy.git('commit', '--quiet', '--amend', '--message', 'other');
    await push('--force', 'main');
    expect(world.service.pushes[1]).toMatchObject({ forced: true, message: 'other' });
  });

  it('that deletes a branch has no commit', async () => {
    const head = await world.copy.commit('first', { a: '1' });
    await push('main', 'main:side');
    expect(await push('--delete', 'side')).toContain('deploy side (deleted) queued');
    const deleted = { ref: 'refs/heads/side', before: head, after: null, message: null, author: 'ada' };
    expect(world.service.pushes.at(-1)).toMatchObject(deleted);
  });

  it('runs the hook even when the user who pushes has set core.hooksPath', async () => {
    await world.copy.commit('first', { a: '1' });
    const config = join(world.folder, 'gitconfig');
    await git(['config', '--file', config, 'core.hooksPath', '/nowhere']);
    await git(['-C', world.copy.path, 'push', remote, 'main'], { GIT_CONFIG_GLOBAL: config });
    expect(world.service.pushes).toHaveLength(1);
  });

  it('works without node on the PATH and with any NODE_OPTIONS', async () => {
    await world.copy.commit('first', { a: '1' });
    const bin = join(world.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(await whereIs('git'), join(bin, 'git'));
    const environment = { PATH: bin, NODE_OPTIONS: '--require=/nowhere/at-all.js' };
    const { stderr } = await git(['-C', world.copy.path, 'push', `file://${remote}`, 'main'], environment);
    expect(stderr).toContain('queued');
    expect(world.service.pushes).toHaveLength(1);
  });

  it('of one other branch is recorded, so that the log says that it deploys nothing', async () => {
    await world.copy.commit('first', { a: '1' });
    await push('main');
    expect(await push('main:side')).toContain('deploy side');
    expect(world.service.pushes.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/heads/side']);
  });
});

it('A push with an option that there is not says which there is', async () => {
  await world.copy.commit('first', { a: '1' });
  const to = world.host.cloneUrl('ada', 'hello.js').replace('//', '//ada:secret@');
  const options = ['preview', 'x'.repeat(9000)].flatMap((option) => ['-o', option]);
  const { stderr } = await world.copy.git('push', ...options, to, 'main');
  expect(stderr).toContain('The push option preview is unknown; there is nowait.');
  expect(stderr).toContain(`The push option ${'x'.repeat(60)} is unknown`);
  expect(world.service.pushes).toHaveLength(1);
});

describe('The output of git push', () => {
  beforeEach(() => world.copy.commit('first', { a: '1' }));

  it('says why nothing is deployed, without its control characters', async () => {
    world.service.answer = { status: 'skipped', reason: 'Only \u001b[31mmaster is deployed.' };
    expect(await push('main')).toMatch(/skipped: Only \S*master is deployed\./);
  });

  it('shows why a push is refused, which is not tried again', async () => {
    // The first push settles the default branch, after which a round compares once more.
    await push('main');
    await world.host.compare();
    await world.copy.commit('second', { a: '2' });
    let tries = 0;
    world.service.before = () => {
      tries += 1;
      throw new DeployError('request:bad_parameter', 'Not a \u001b[31mname.');
    };
    expect(await push('main')).toMatch(/failed: Not a \S*name\. It is not deployed\./);
    await Promise.all([world.host.compare(), world.host.compare()]);
    await world.host.compare();
    expect(tries).toBe(2);
  });

  it('says that a push is kept when it cannot be recorded now, which is done later, once', async () => {
    // The empty repository has another default branch.
    await world.host.compare();
    world.service.before = notNow;
    expect(await push('main')).toContain('failed: The database is away. The push is kept, and is deployed as soon as');
    expect(await push('main:side')).toContain('failed: The database is away. It is not deployed.');
    world.service.before = () => {};
    await expect.poll(() => world.service.pushes.length, { timeout: 10_000 }).toBe(1);
    await world.host.compare();
    expect(world.service.pushes).toMatchObject([{ ref: 'refs/heads/main', before: null }]);
  });

  it.each(['over HTTP', 'into the folder'])('shows one entry when the comparison was faster, %s', async (how) => {
    let release = () => {};
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    let calls = 0;
    world.service.before = async () => {
      calls += 1;
      await waits;
    };
    const to = how === 'over HTTP' ? world.host.cloneUrl('ada', 'hello.js').replace('//', '//ada:secret@') : remote;
    const pushing = world.copy.git('push', to, 'main');
    await expect.poll(() => calls).toBe(1);
    const comparing = world.host.compare();
    release();
    await comparing;
    expect((await pushing).stderr).toContain('deploys/1');
    expect(world.service.pushes).toHaveLength(1);
  });

  it('asks for a new start when the program of the hook is missing', async () => {
    await rm(join(world.dataDir, 'post-receive.mjs'));
    expect(await push('main')).toContain('Run npm start once');
  });
});
