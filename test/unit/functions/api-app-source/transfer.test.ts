import { beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../../../support/entries.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

const { host, owner, name } = repository;
const fork = { host, owner: 'bob', name: 'fork' };

beforeEach(async () => {
  world = appsWorld();
  await world.deployed('shop');
  await world.log.ownApp('ann', 'shop', { host, owner, name, id: '7', branch: 'main' });
  world.host.branch(world.host.commit({ owner: 'bob', name: 'fork', files: {} }), 'main');
});

function transfer(body: unknown, application = 'shop') {
  return world.ask('POST', '/1/apps/{user}/{application}/transfer', {
    params: { user: 'ann', application },
    body: Buffer.from(JSON.stringify(body)),
  });
}

describe('the transfer of an application', () => {
  it('gives it to another repository, which deploys its branch, and deploys nothing yet', async () => {
    const { status, body } = await transfer({ repository: fork });
    const hook = 'Its webhook must call this service: "hooks hook" there shows how.';
    const next = `The next push of main to bob/fork is deployed. ${hook}`;
    expect({ status, body }).toEqual({ status: 200, body: { repository: fork, next } });
    expect(await world.log.appOwner('ann', 'shop')).toEqual({ ...fork, branch: 'main' });
    expect(world.queue.sent).toEqual([]);
  });

  it('gives it to a repository with the id that its host says', async () => {
    const { repository: describe } = world.host;
    world.host.repository = async (...asked) => ({ ...(await describe(...asked)), id: '8' });
    await transfer({ repository: fork });
    expect(await world.log.appOwner('ann', 'shop')).toEqual({ ...fork, id: '8', branch: 'main' });
  });

  it('gives it to a folder, and keeps its environment', async () => {
    await world.deployed('shop-staging');
    await world.log.ownApp('ann', 'shop-staging', { host, owner, name, environment: 'staging', branch: 'next' });
    const { body } = await transfer({ repository: { ...fork, path: './web/' } }, 'shop-staging');
    expect(body.next).toContain('bob/fork has no branch next: shop-staging follows the branch of its next push.');
    expect(await world.log.appOwner('ann', 'shop-staging')).toEqual({
      ...fork,
      path: 'web',
      environment: 'staging',
      branch: 'next',
    });
  });

  it.each([
    [{}, 'The body is JSON: '],
    [{ repository: 'bob/fork' }, 'The body is JSON: '],
    [{ repository: { ...fork, path: '../web' } }, 'The parameter path must be a folder'],
  ])('is refused with %j', async (body, detail) => {
    const refused = { code: 'request:bad_parameter', detail: expect.stringContaining(detail) };
    await expect(transfer(body)).rejects.toMatchObject(refused);
    expect(await world.log.appOwner('ann', 'shop')).toMatchObject({ owner, name });
  });

  it('is refused of a preview, and of an application that there is not', async () => {
    await expect(transfer({ repository: fork }, 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
    await world.log.ownApp('ann', 'shop-pr-7', { host, owner, name, pullRequest: { number: 7 }, branch: 'fix' });
    const refused = { code: 'request:bad_parameter', detail: expect.stringContaining('is a preview') };
    await expect(transfer({ repository: fork }, 'shop-pr-7')).rejects.toMatchObject(refused);
  });
});
