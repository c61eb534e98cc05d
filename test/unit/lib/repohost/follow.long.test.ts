import { describe, expect, it } from 'vitest';
import type { Watching } from '../../../../lib/repohost/push/receiver.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const world = repoHostWorld(async ({ copy, start }) => {
  await copy.commit('first', { a: '1' });
  await (await start()).createRepository('ada', 'app');
});
const WAYS = ['over HTTP', 'into the folder'] as const;
const to = (way: (typeof WAYS)[number]) =>
  way === 'over HTTP' ? world.url() : world.host.repositoryPath('ada', 'app');
const tells = () => {
  world.service.follow = async ({ entry }, { print }) => {
    print(`following ${entry}`);
    await new Promise((wait) => setTimeout(wait, 50));
    print('and that is the end');
  };
};

describe('A push that is followed', () => {
  it.each(WAYS)('%s shows what is printed about its entry', async (way) => {
    tells();
    expect(await world.push(to(way), 'main')).toMatch(
      /remote: deploy main .*queued *\n.*\nremote: following http:\/\/127\.0\.0\.1\/1\/status\/ada\/changes\/1 *\nremote: and that is the end/,
    );
  });

  it.each(WAYS)('%s with the option nowait returns when it is recorded', async (way) => {
    tells();
    const printed = await world.push('--push-option', 'nowait', to(way), 'main');
    expect(printed).toContain('queued');
    expect(printed).not.toContain('following');
  });

  it('is not followed when its deploy has ended', async () => {
    tells();
    world.service.answer = { status: 'skipped', reason: 'It is a tag.', isFollowed: false };
    const printed = await world.push(world.url(), 'main');
    expect(printed).toContain('skipped: It is a tag.');
    expect(printed).not.toContain('following');
  });

  it('has succeeded when it cannot be followed, which is told in one line', async () => {
    world.service.follow = async () => {
      throw new Error('no luck');
    };
    expect(await world.push(world.url(), 'main')).toContain('The deploy goes on, but cannot be shown here: no luck');
  });

  it('of another branch than the default one says how to change that', async () => {
    await world.push(world.url(), 'main');
    const printed = await world.push(world.url(), 'main:side');
    expect(printed).toContain('To deploy side in its place, from the next push on:');
    expect(printed).toMatch(/remote: {3}hooks set app branch=side *\n/);
    expect(printed).toMatch(/remote: {3}hooks create app --environment side *\n/);
    expect(await world.push(world.url(), 'main:main')).not.toContain('hooks set');
  });

  it('of another branch names the application, and no environment of an environment', async () => {
    await world.push(world.url(), 'main');
    world.service.deploys = { app: 'shop-staging', environment: null };
    const printed = await world.push(world.url(), 'main:other');
    expect(printed).toMatch(/remote: {3}hooks set shop-staging branch=other *\n/);
    expect(printed).not.toContain('--environment');
  });

  it('of a branch with a name like a command quotes it in the command to copy, and escapes its direction marks', async () => {
    await world.push(world.url(), 'main');
    expect(await world.push(world.url(), 'main:a$(id)`id`;<b>')).toContain("hooks set app 'branch=a$(id)`id`;<b>'");
    expect(await world.push(world.url(), 'main:a\u202eb')).toContain('To deploy a\\u202eb in its place,');
  });

  it.each(WAYS.flatMap((way) => ['the push is interrupted', 'the host ends'].map((what) => [way, what] as const)))(
    '%s is not followed any more when %s',
    async (way, what) => {
      const watched = new Promise<Watching>((begins) => {
        world.service.follow = (_, watching) => {
          begins(watching);
          return new Promise(() => {});
        };
      });
      const pushing = world.pushInGroup(to(way));
      const { signal } = await watched;
      expect(signal.aborted).toBe(false);
      if (what === 'the host ends') await world.host.close();
      else process.kill(-(pushing.pid ?? 0), 'SIGKILL');
      await expect.poll(() => signal.aborted).toBe(true);
      pushing.kill('SIGKILL');
    },
  );
});
