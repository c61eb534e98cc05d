import { beforeEach, describe, expect, it } from 'vitest';
import { apps } from '../../../../functions/api-apps/apps.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { request } from '../../../support/requests.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(() => {
  world = appsWorld();
});

const list = (query = {}) => world.ask('GET', '/1/apps/{user}', { query, path: '/1/apps/ann' });
const show = (application: string, query = {}) =>
  world.ask('GET', '/1/apps/{user}/{application}', { params: { user: 'ann', application }, query });

describe('GET /1/apps/<user>', () => {
  it('is an empty list for a user without applications', async () => {
    expect(await list()).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { total: 0, apps: [] },
    });
  });

  it('lists each application with its repository, its state, its address and the entry that it runs', async () => {
    await world.deployed('shop');
    await world.deployed('cart');
    const { body } = await list();
    expect(body.apps.map(({ name }: { name: string }) => name)).toEqual(['cart', 'shop']);
    expect(body.apps[1]).toMatchObject({
      name: 'shop',
      app: 'shop',
      repository: { host: 'memory', owner: 'ann', name: 'shop' },
      branch: 'master',
      state: 'running',
      url: 'https://shop.ann.example.com',
      active: { status: 'ok', commit: expect.stringMatching(/^ann\/shop\/a{40}$/) },
      rollback: [],
    });
  });

  it('has what an application has used, where that is counted', async () => {
    await world.deployed('shop');
    expect((await list()).body.apps[0]).not.toHaveProperty('used');
    const used = { requests: 3, memory: 20 };
    const all = await world.applications.list('ann');
    world.ports.applications.list = async () => all.map((app) => ({ ...app, used }));
    expect((await list()).body.apps[0]).toMatchObject({ used });
  });

  it('has no address of one without a process that answers, until it has one', async () => {
    const { number } = await world.deployed('shop');
    await world.log.move('ann', number, () => ({ changes: { url: null } }));
    const scale = (web: number) => world.ports.processes.scale({ user: 'ann', app: 'shop' }, { web });
    for (const [web, url] of [
      [0, null],
      [1, 'https://shop.ann.example.com'],
    ] as const) {
      await scale(web);
      expect((await list()).body.apps).toMatchObject([{ name: 'shop', url }]);
      expect((await show('shop')).body).toMatchObject({ url });
    }
  });

  it('keeps the address where the platform does not tell what runs, as on AWS', async () => {
    const { number } = await world.deployed('shop');
    await world.log.move('ann', number, () => ({ changes: { url: null } }));
    const refused = () => Promise.reject(new DeployError('request:not_supported', 'There are no processes.'));
    const asked = request({ method: 'GET', resource: '/1/apps/{user}', params: { user: 'ann' } });
    const { body } = await apps({ ...world.ports, processes: { list: refused, scale: refused } })(asked);
    expect(body).toMatchObject({ total: 1, apps: [{ name: 'shop', url: 'https://shop.ann.example.com' }] });
  });

  it('has pages, which link to the next and the previous one', async () => {
    for (const name of ['shop', 'cart', 'blog']) await world.deployed(name);
    const { headers, body } = await list({ limit: '1', skip: '1', include_docs: 'true' });
    expect(body).toMatchObject({ total: 3, skip: 1, limit: 1, apps: [{ name: 'cart', active: { doc: {} } }] });
    const page = (skip: number) => `<${world.request.base}/1/apps/ann?limit=1&skip=${skip}&include_docs=true>`;
    expect(headers?.link).toBe(`${page(2)}; rel="next", ${page(0)}; rel="prev"`);
    expect((await list({ skip: '3' })).body).toMatchObject({ total: 3, limit: 100, apps: [] });
    await expect(list({ limit: '101' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('has as many applications as fit into an answer of Lambda, and its next page begins after them', async () => {
    for (const name of ['shop', 'cart', 'blog']) {
      const { number } = await world.deployed(name);
      const logTail = [`"${'x'.repeat(2_500_000)}`];
      await world.log.move('ann', number, () => ({ changes: { status: 'crashed', logTail } }));
    }
    const { headers, body } = await list({ include_docs: 'true' });
    expect(body).toMatchObject({ total: 3, apps: [{ name: 'blog' }, { name: 'cart' }] });
    expect(JSON.stringify(JSON.stringify(body)).length).toBeLessThan(6 * 1024 * 1024);
    expect(headers?.link).toContain('skip=2');
  });

  it('says what is free on the machine where there is one', async () => {
    expect((await list()).body).not.toHaveProperty('machine');
    const machine = { memory: { total: 2, free: 1 }, disk: { total: 4, free: 3 } };
    const asked = request({ method: 'GET', resource: '/1/apps/{user}', params: { user: 'ann' } });
    const answer = await apps({ ...world.ports, machine: async () => machine })(asked);
    expect(answer.body).toMatchObject({ machine, apps: [] });
  });

  it('lists the applications also when the machine cannot be looked at', async () => {
    await world.deployed('shop');
    const machine = () => Promise.reject(new Error('statfs: EIO'));
    const asked = request({ method: 'GET', resource: '/1/apps/{user}', params: { user: 'ann' } });
    const { status, body } = await apps({ ...world.ports, machine })(asked);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 1, apps: [{ name: 'shop' }] });
    expect(body).not.toHaveProperty('machine');
  });

  it('fails as a whole when the platform does not answer', async () => {
    await world.deployed('shop');
    world.applications.setDown(true);
    await expect(list()).rejects.toMatchObject({ code: 'request:failed' });
  });
});

describe('GET /1/apps/<user>/<application>', () => {
  it('lists the successful deploys that the platform still has, newest first, without the one that runs', async () => {
    const first = await world.deployed('shop');
    const second = await world.deployed('shop');
    await world.deployed('shop');
    const { body } = await show('shop');
    expect(body.active.id).toContain(world.lastEntry().id);
    expect(body.rollback.map(({ id }: { id: string }) => id.split('/').at(-1))).toEqual([second.id, first.id]);
  });

  it('does not list deploys that failed, and none whose snapshot the platform has removed', async () => {
    const gone = await world.deployed('shop');
    await world.failed('shop');
    await world.deployed('shop');
    world.forgetSnapshot('shop', gone.snapshot ?? '');
    expect((await show('shop')).body.rollback).toEqual([]);
  });

  it('is found by the name in package.json and by the one on the platform', async () => {
    await world.deployed('@ann/shop');
    for (const name of ['@ann/shop', 'ann-shop']) {
      expect((await show(name)).body).toMatchObject({ name: '@ann/shop', app: 'ann-shop', active: { status: 'ok' } });
    }
  });

  it('has the documents of its entries with include_docs', async () => {
    await world.deployed('shop');
    expect((await show('shop', { include_docs: 'true' })).body.active.doc).toMatchObject({ message: 'First' });
    await expect(show('shop', { include_docs: 'maybe' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('is never, without entries, before its first start', async () => {
    await world.platform.ensureApp({ user: 'ann', app: 'shop' }, { name: 'shop' });
    const never = { state: 'never', url: null, active: null, rollback: [] };
    expect((await show('shop')).body).toMatchObject({ ...never, repository: null });
    await world.log.ownApp('ann', 'shop', { host: 'memory', owner: 'ann', name: 'shop' });
    expect((await show('shop')).body).toMatchObject({ ...never, repository: { owner: 'ann', name: 'shop' } });
  });

  it('names what it previews and the pull request, before its first start and after', async () => {
    const owner = { host: 'memory', owner: 'ann', name: 'shop' };
    const pullRequest = { number: 7, parent: '@ann/shop' };
    await world.platform.ensureApp({ user: 'ann', app: 'shop-pr-7' }, { name: 'shop-pr-7' });
    await world.log.ownApp('ann', 'shop-pr-7', { ...owner, pullRequest });
    const { body } = await show('shop-pr-7');
    expect(body).toMatchObject({ state: 'never', preview_of: '@ann/shop', pull_request: 7 });
    expect(body.repository).toEqual(owner);
    const { number } = await world.deployed('shop-pr-7');
    await world.log.move('ann', number, () => ({ changes: { pullRequest } }));
    expect((await list()).body.apps).toMatchObject([{ state: 'running', preview_of: '@ann/shop', pull_request: 7 }]);
  });

  it('names its environment, before its first start and after', async () => {
    const owner = { host: 'memory', owner: 'ann', name: 'shop' };
    const environment = 'staging';
    await world.platform.ensureApp({ user: 'ann', app: 'shop-staging' }, { name: 'shop-staging' });
    await world.log.ownApp('ann', 'shop-staging', { ...owner, environment, branch: 'staging' });
    expect((await show('shop-staging')).body).toMatchObject({ state: 'never', environment, repository: owner });
    expect((await show('shop-staging')).body.repository).toEqual(owner);
    const { number } = await world.deployed('shop-staging');
    await world.log.move('ann', number, () => ({ changes: { environment } }));
    expect((await list()).body.apps).toMatchObject([{ state: 'running', environment }]);
  });

  it('says nothing of pull requests for an application that previews none', async () => {
    await world.deployed('shop');
    const { body } = await show('shop');
    expect([body.preview_of, body.pull_request]).toEqual([undefined, undefined]);
    expect(Object.keys(body)).not.toContain('preview_of');
  });

  it('is known as a preview when its first deploy has crashed', async () => {
    const { snapshot } = await world.failed('shop-pr-7');
    const owner = { host: 'memory', owner: 'ann', name: 'shop', pullRequest: { number: 7, parent: 'shop' } };
    await world.log.ownApp('ann', 'shop-pr-7', owner);
    const known = { active: null, preview_of: 'shop', pull_request: 7 };
    expect((await show('shop-pr-7')).body).toMatchObject({ state: 'never', ...known });
    // The platform has started it, and it crashed before the deploy ended.
    world.platform.write({ user: 'ann', app: 'shop-pr-7' }, { serving: snapshot, state: 'crashed' });
    expect((await show('shop-pr-7')).body).toMatchObject({ state: 'crashed', ...known });
  });

  it.each(['nothing', '..', '@', ''])('is not found under %j', async (name) => {
    await expect(show(name)).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  it('says so when the log cannot be read', async () => {
    await world.deployed('shop');
    const down = () => Promise.reject(new Error('down'));
    const ports = { ...world.ports, reader: { read: down, page: down } };
    const asked = apps(ports)({ ...world.request, resource: '/1/apps/{user}' });
    await expect(asked).rejects.toMatchObject({ code: 'status:db:query_fail' });
  });
});
