import { describe, expect, it } from 'vitest';
import { repository } from '../../../support/entries.ts';
import { checkWorld, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

const environment = 'staging';

describe('the application of an environment', () => {
  it('has the name in package.json with that of the environment', async () => {
    const { commit, push, check, facts } = checkWorld();
    await push(commit(null, { 'package.json': '{ "name": "@ann/shop", "version": "2.0.0" }' }), { environment });
    const { stage, appName, manifest: sent, stages } = await check(1);
    expect({ stage, appName, named: sent?.name }).toEqual({
      stage: 'fetch',
      appName: '@ann/shop-staging',
      named: '@ann/shop-staging',
    });
    expect(stages[0]?.detail).toContain('@ann/shop-staging 2.0.0');
    expect(await facts.appOwner('ann', 'ann-shop-staging')).toMatchObject({ environment, branch: 'master' });
  });

  it('is refused where it would have a name that is too long', async () => {
    const { commit, push, check } = checkWorld();
    await push(commit(null, { 'package.json': JSON.stringify({ name: 'x'.repeat(210) }) }), { environment });
    expect((await check(1)).error).toMatchObject({
      code: 'deploy:repohost:no_pkg_json',
      detail: expect.stringContaining('The environment staging of xxx'),
    });
  });

  it('is deployed from the same commit and branch as the one without', async () => {
    const { commit, push, check, finish, facts } = checkWorld();
    const one = commit(null);
    await push(one);
    await push(one, { environment });
    expect(await check(1)).toMatchObject({ stage: 'fetch', appName: 'shop' });
    expect(await check(2)).toMatchObject({ stage: 'fetch', appName: 'shop-staging' });
    await finish(1, 'ok');
    // Older than what the environment deploys, and not than what the other application does.
    const two = commit(one);
    await push(two, { environment });
    await push(two);
    expect([(await check(3)).stage, (await check(4)).stage]).toEqual(['fetch', 'fetch']);
    const active = async (track: string) => (await facts.branch('ann', repository, track)).activeDeploy?.number;
    expect([await active('master'), await active('master~staging')]).toEqual([4, 3]);
  });

  it('waits for CI by itself: a build at the hook of one releases nothing of the other', async () => {
    const { commit, push, build, check, read } = checkWorld();
    const head = commit(null, { 'package.json': manifest, ...waitsForTravis });
    await push(head);
    await push(head, { environment });
    expect([(await check(1)).status, (await check(2)).status]).toEqual(['held', 'held']);
    await build(head, passed, { environment });
    await check(3);
    expect([(await read(1)).status, (await read(2)).status]).toEqual(['held', 'running']);
  });

  it('is not replaced by an application whose package has that name', async () => {
    const { commit, push, check } = checkWorld();
    await push(commit(null), { environment });
    await check(1);
    await push(commit(null, { 'package.json': '{ "name": "shop-staging" }' }));
    expect((await check(2)).error?.detail).toContain(
      'The application shop-staging belongs to the environment staging of ann/shop, and this is ann/shop.',
    );
  });
});
