import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

let remote: string;

const world = repoHostWorld(async () => {
  const host = await open();
  await host.createRepository('ada', 'hello.js');
  remote = host.repositoryPath('ada', 'hello.js');
});
const open = () => world.start();
const push = async (...args: string[]) => (await world.copy.git('push', remote, ...args)).stderr;

describe('A push that was missed', () => {
  let first: string;
  beforeEach(async () => {
    first = await world.copy.commit('first', { a: '1' });
  });

  it('is recorded at the next start, the newest of each repository, once', async () => {
    await world.host.createRepository('ada', 'other');
    const other = world.host.repositoryPath('ada', 'other');
    await push('main');
    await world.host.close();
    await world.copy.commit('second', { a: '2' });
    await push('main');
    const third = await world.copy.commit('third', { a: '3' });
    await push('main');
    await world.copy.git('push', '--mirror', other);
    await open();
    expect(world.service.pushes.slice(1).toSorted((one, two) => one.name.localeCompare(two.name))).toMatchObject([
      { name: 'hello.js', before: first, after: third, forced: false, message: 'third', author: 'Ada' },
      { name: 'other', ref: 'refs/heads/main', before: null, after: third },
    ]);
    await world.host.close();
    await open();
    expect(world.service.pushes).toHaveLength(3);
  });

  it('is recorded when its hook was gone, which the start writes again', async () => {
    await world.host.close();
    rmSync(join(remote, 'hooks', 'post-receive'));
    await push('main');
    await open();
    expect(world.service.pushes).toHaveLength(1);
    expect(await push('main:side')).toContain('deploy side');
  });

  it('that went back to an earlier commit is forced', async () => {
    await push('main');
    const second = await world.copy.commit('second', { a: '2' });
    await push('main');
    await world.host.close();
    await push('--force', `${first}:main`);
    await open();
    expect(world.service.pushes[2]).toMatchObject({ before: second, after: first, forced: true });
  });

  it('is recorded although the first branch had not become the default branch yet', async () => {
    await git([
      '-C',
      world.copy.path,
      'push',
      remote,
      'main:trunk',
      '--receive-pack=git -c core.hooksPath=/nowhere receive-pack',
    ]);
    await world.host.compare();
    expect(world.service.pushes).toMatchObject([{ ref: 'refs/heads/trunk', defaultBranch: 'trunk' }]);
  });

  it('is none in a repository that is older than the log and unknown to it, until its next push', async () => {
    await world.host.close();
    await push('main');
    const since = Date.now() + 60_000;
    await world.start({ since });
    expect(world.service.pushes).toEqual([]);
    await world.copy.commit('second', { a: '2' });
    await push('main');
    await world.host.close();
    const third = await world.copy.commit('third', { a: '3' });
    await push('main');
    await world.start({ since });
    expect(world.service.pushes.map(({ after }) => after)).toEqual([expect.any(String), third]);
  });

  it('is none when another branch becomes the default branch, which is deployed with its next push', async () => {
    await push('main', 'main:one', 'main:two');
    await world.copy.commit('second', { a: '2' });
    await git(['-C', world.copy.path, 'push', remote, 'main:side', 'main:more', 'main:most']);
    await world.host.compare();
    await git(['-C', remote, 'symbolic-ref', 'HEAD', 'refs/heads/side']);
    await world.host.compare();
    expect(world.service.pushes).toHaveLength(1);
    const third = await world.copy.commit('third', { a: '3' });
    await push('main:side');
    expect(world.service.pushes.at(-1)).toMatchObject({ defaultBranch: 'side', after: third });
  });
});
