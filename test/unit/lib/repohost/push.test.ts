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

describe('A push', () => {
  it('of a new branch says what the log records of it', async () => {
    await world.copy.commit('first', { a: '1' });
    const second = await world.copy.commit('second\n\nwhy', { a: '2' });
    await push('main');
    expect(world.service.pushes).toEqual([
      {
        ...{ owner: 'ada', name: 'hello.js', private: false, defaultBranch: 'main', ref: 'refs/heads/main' },
        ...{ before: null, after: second, forced: false, message: 'second\n\nwhy', author: 'Ada' },
      },
    ]);
  });

  it('to an existing branch says its previous commit', async () => {
    const first = await world.copy.commit('first', { a: '1' });
    await push('main');
    const second = await world.copy.commit('second', { a: '2' });
    await push('main');
    expect(world.service.pushes[1]).toMatchObject({ before: first, after: second, forced: false });
  });

  it('of a branch and a tag is recorded for each, an annotated tag with the message of its commit', async () => {
    await world.copy.commit('first', { a: '1' });
    await world.copy.git('tag', '--annotate', 'v1', '--message', 'v1');
    const printed = await push('main', 'v1');
    expect(world.service.pushes.map(({ ref, message }) => [ref, message])).toEqual([
      ['refs/heads/main', 'first'],
      ['refs/tags/v1', 'first'],
    ]);
    expect(printed).toContain('deploy v1');
  });

  it('of many refs is recorded for the default branch only, and says so in one sentence', async () => {
    await world.copy.commit('first', { a: '1' });
    await world.copy.git('tag', 'v1');
    await world.copy.git('tag', 'v2');
    const printed = await push('main', 'main:one', 'main:two', 'v1', 'v2');
    expect(world.service.pushes.map(({ ref }) => ref)).toEqual(['refs/heads/main']);
    expect(printed).toContain(
      'remote: 2 branches and 2 tags of this push are not sent to the service: only main is deployed.',
    );
    expect(printed.match(/remote: deploy /g)).toHaveLength(1);
  });
});

describe('The output of git push', () => {
  beforeEach(() => world.copy.commit('first', { a: '1' }));

  it('shows the status and the address of the page of the entry', async () => {
    const printed = await push('main');
    expect(printed).toMatch(/remote: deploy main \([0-9a-f]{7}\) queued *\n/);
    expect(printed).toContain('remote:   http://127.0.0.1/#/ada/deploys/1');
  });

  it('says that the service is not running, and the push succeeds', async () => {
    await world.host.close();
    expect(await push('main')).toContain('remote: the deploy service is not running. The push is kept');
    expect(world.service.pushes).toHaveLength(0);
    expect((await git(['--git-dir', remote, 'rev-parse', 'main'])).stdout).toMatch(/^[0-9a-f]{40}/);
  });
});
