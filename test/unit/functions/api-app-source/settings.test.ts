import { beforeEach, describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../../../functions/core/apps/settings.ts';
import { append, repository } from '../../../support/entries.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

const { host, owner, name } = repository;
const shop = { host, owner, name };
const empty = Object.fromEntries(SETTING_NAMES.map((one) => [one, null]));
const none = { ...empty, in_package: empty, found: empty };

const HEALTH = 'a path, and if it needs longer than a minute the seconds, at most 600: /healthz, 90';
const PATHS =
  'at most 20 paths in the repository, each of at most 250 characters, from the folder of the application, such as .tmp, public/uploads, *.sqlite';

beforeEach(async () => {
  world = appsWorld();
  await world.deployed('shop');
  await world.log.ownApp('ann', 'shop', { ...shop, branch: 'main' });
  world.host.branch(world.host.commit({ owner, name, files: {} }), 'staging');
});

function settings(body?: unknown, application = 'shop') {
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const method = body === undefined ? 'GET' : 'PATCH';
  return world.ask(method, '/1/apps/{user}/{application}/settings', { params: { user: 'ann', application }, ...sent });
}

describe('the settings of an application', () => {
  it('have the branch that it follows, and null for what is not set', async () => {
    expect((await settings()).body).toEqual({ ...none, branch: 'main' });
    await world.deployed('blog');
    expect((await settings(undefined, 'blog')).body).toEqual(none);
    await expect(settings(undefined, 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  it('move it to another branch, which deploys nothing, and say what is deployed next', async () => {
    const { status, body } = await settings({ branch: 'refs/heads/staging' });
    const next =
      'Nothing is deployed by that: the next push of staging is, and its tip by "hooks deploy shop". The address of the ' +
      'webhook must name the branch: ?branch=staging.';
    expect({ status, body }).toEqual({ status: 200, body: { ...none, branch: 'staging', next } });
    expect((await settings()).body).toEqual({ ...none, branch: 'staging' });
    expect(world.queue.sent).toEqual([]);
  });

  it('say that there is a password and never which; it counts at once, also before the first deploy', async () => {
    const password = 'correct horse';
    for (const application of ['shop', '@ann%2fnew'].map(decodeURIComponent)) {
      const { body } = await settings({ password }, application);
      const app = application === 'shop' ? 'shop' : 'ann-new';
      const next = `${app} asks each visitor for it, with any user name, from now on.`;
      expect(body).toMatchObject({ password: true, next });
      const read = (await settings(undefined, application)).body;
      expect(read).toMatchObject({ password: true, in_package: { password: null } });
      expect(JSON.stringify([body, read, await world.log.settings.read({ user: 'ann', app })])).not.toContain(password);
    }
    expect((await settings({ password: null })).body).toMatchObject({
      password: null,
      next: 'shop asks each visitor for no password any more.',
    });
    await expect(settings({ password: null }, 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
    for (const wrong of ['short', '', 'two\nlines of it', ' spaces ', 'x'.repeat(201), true, ['correct horse']]) {
      const refused = await settings({ password: wrong, build: 'make' }).catch((error) => error);
      expect(refused).toMatchObject({ code: 'request:bad_parameter', detail: expect.stringContaining('8 to 200') });
    }
    expect((await settings()).body).toMatchObject({ password: null, build: null });
  });

  it('make the branch the default one of a repository that the service hosts, for its user only', async () => {
    const made: string[] = [];
    const ownHost = { name: host, makeDefault: async (_: unknown, branch: string) => void made.push(branch) };
    Object.assign(world.ports, { ownHost });
    expect((await settings({ branch: 'staging' })).body.next).toMatch(
      /^staging is the default branch of ann\/shop now\. /,
    );
    await world.log.ownApp('ann', 'theirs', { ...shop, owner: 'bob', branch: 'main' });
    world.host.branch(world.host.commit({ owner: 'bob', name, files: {} }), 'staging');
    await settings({ branch: 'staging' }, 'theirs');
    expect(made).toEqual(['staging']);
  });

  it('show those of the package.json of the newest deploy beside them', async () => {
    const deploy = { start: 'node a.js', output: 'site' };
    const { number } = await world.deployed('shop');
    await world.log.move('ann', number, () => ({ changes: { manifest: { name: 'shop', deploy } } }));
    expect((await settings()).body.in_package).toEqual({ ...empty, ...deploy });
    expect((await settings({ start: 'node b.js' })).body).toMatchObject({ start: 'node b.js', in_package: deploy });
    await world.log.move('ann', number, () => ({ changes: { manifest: { name: 'shop', deploy: { start: 1 } } } }));
    expect((await settings()).body.in_package).toEqual(empty);
  });

  it('show what the build of the newest deploy has used', async () => {
    const found = { install: 'npm ci', build: 'npm run build', output: 'dist' };
    const { number } = await world.deployed('shop');
    await world.log.move('ann', number, () => ({ changes: { found } }));
    expect((await settings()).body.found).toEqual({ ...empty, ...found });
    expect((await settings({ build: 'make' })).body).toMatchObject({ build: 'make', found });
  });

  it('are changed one by one, and null removes one', async () => {
    const { status, body } = await settings({ build: ' npm run site ', start: '', output: './dist/site/' });
    const next = 'The next deploy of shop uses it; "hooks redeploy shop" deploys its newest commit again.';
    const set = { ...none, branch: 'main', build: 'npm run site', start: '', output: 'dist/site' };
    expect({ status, body }).toEqual({ status: 200, body: { ...set, next } });
    await settings({ start: null, install: 'make' });
    expect((await settings()).body).toEqual({ ...set, start: null, install: 'make' });
    expect(world.queue.sent).toEqual([]);
  });

  it('are kept in one form', async () => {
    await settings({ health: ' /healthz 30', overlap: false, keep: ['./.tmp/', '../../packages/db/*.db'] });
    const kept = { health: '/healthz, 30', overlap: false, keep: ['.tmp', '../../packages/db/*.db'] };
    expect((await settings()).body).toMatchObject(kept);
    await settings({ health: '/' });
    expect((await settings()).body).toMatchObject({ health: '/, 60' });
  });

  it('may be made before the first deploy; none are removed of an application that there is not', async () => {
    await expect(settings({ build: null }, 'new')).rejects.toMatchObject({ code: 'status:db:not_found' });
    await settings({ build: 'make' }, '@ann/new');
    expect((await settings(undefined, 'ann-new')).body).toEqual({ ...none, build: 'make' });
  });

  it.each([
    [{ branch: 'none' }, 'ann/shop has no branch none.'],
    [{ branch: null }, 'shop always follows a branch: name another one.'],
    [
      { output: '' },
      'The setting output must be a folder of the application, such as dist: relative and without "..".',
    ],
    [{ health: '/healthz, 601' }, `The setting health must be ${HEALTH}.`],
    [{ health: '/health z' }, `The setting health must be ${HEALTH}.`],
    [{ keep: [] }, `The setting keep must be ${PATHS}.`],
    [{ keep: ['a', '/etc'] }, `The setting keep must be ${PATHS}.`],
    [{ keep: ['.'] }, `The setting keep must be ${PATHS}.`],
    [{ keep: ['a/../b'] }, `The setting keep must be ${PATHS}.`],
    [{ keep: ['../..'] }, `The setting keep must be ${PATHS}.`],
    [{ keep: ['a\0b'] }, `The setting keep must be ${PATHS}.`],
    [
      { build: 'make', biuld: 'x' },
      'There is no setting biuld, but branch, path, environment, install, build, start, output, health, overlap, affinity, keep, password.',
    ],
    [
      { constructor: 'x' },
      'There is no setting constructor, but branch, path, environment, install, build, start, output, health, overlap, affinity, keep, password.',
    ],
    [
      {},
      'The body is JSON with settings to change: branch, path, environment, install, build, start, output, health, overlap, affinity, keep, password.',
    ],
    [
      'staging',
      'The body is JSON with settings to change: branch, path, environment, install, build, start, output, health, overlap, affinity, keep, password.',
    ],
  ])('cannot be changed by %j', async (body, detail) => {
    await expect(settings(body)).rejects.toMatchObject({ code: 'request:bad_parameter', detail });
    expect((await settings()).body).toEqual({ ...none, branch: 'main' });
  });

  it('give it to another folder of the repository of this service whose pushes deploy it, and of no other', async () => {
    await expect(settings({ path: 'apps/web' })).rejects.toMatchObject({
      code: 'request:bad_parameter',
      detail: expect.stringContaining('the address of a webhook names the folder'),
    });
    Object.assign(world.ports, { ownHost: { name: host, makeDefault: async () => {} } });
    expect((await settings({ path: 'apps/web' })).body).toMatchObject({ path: 'apps/web', branch: 'main' });
    expect(await world.log.appOwner('ann', 'shop')).toMatchObject({ name: 'shop', path: 'apps/web', branch: 'main' });
    await settings({ path: null });
    expect(await world.log.appOwner('ann', 'shop')).not.toHaveProperty('path');
    await world.log.ownApp('ann', 'web', { ...shop, path: 'web', branch: 'main' });
    await expect(settings({ path: 'apps/web' }, 'web')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    await world.log.renameApp('ann', 'shop', 'site');
    expect((await settings({ path: 'apps/site' }, 'site')).body).toMatchObject({ path: 'apps/site' });
    expect(await world.log.appOwner('ann', 'site')).toMatchObject({ name: 'shop', path: 'apps/site' });
  });

  it('have an environment as a part of the name, before the first deploy only', async () => {
    const detailOf = (body: unknown, app: string) => settings(body, app).catch(({ detail }) => detail);
    expect(await detailOf({ environment: 'staging' }, 'shop')).toContain('"hooks create shop --environment staging"');
    expect((await settings({ environment: 'staging' }, 'shop-staging')).body).toMatchObject({ environment: 'staging' });
    expect((await settings({ environment: null }, 'shop-staging')).body).toMatchObject({ environment: null });
    await world.log.ownApp('ann', 'shop-staging', { ...shop, branch: 'main', environment: 'staging' });
    expect((await settings({ environment: 'staging' }, 'shop-staging')).status).toBe(200);
    expect(await detailOf({ environment: null }, 'shop-staging')).toContain('is deployed already, by ann/shop');
    await world.log.ownApp('ann', 'the-shop', { ...shop, path: 'x', branch: 'main' });
    expect(await detailOf({ environment: 'shop' }, 'the-shop')).toContain('is deployed already, by ann/shop');
    for (const word of ['pr-7', 'A', 'a--b', '', 'x'.repeat(41)]) {
      expect(await detailOf({ environment: word }, `shop-${word}`)).toContain('must be a word of lower-case letters');
    }
  });

  it('move neither a preview nor what no repository has deployed', async () => {
    await world.log.ownApp('ann', 'shop-pr-7', { ...shop, pullRequest: { number: 7, parent: 'shop' }, branch: 'fix' });
    const detail = 'shop-pr-7 is a preview, which has the settings of shop.';
    for (const body of [{ branch: 'staging' }, { build: 'make' }])
      await expect(settings(body, 'shop-pr-7')).rejects.toMatchObject({ code: 'request:bad_parameter', detail });
    await expect(settings({ branch: 'staging' }, 'blog')).rejects.toMatchObject({ code: 'status:db:not_found' });
  });
});

describe('after the branch was moved', () => {
  const ask = (operation: string) =>
    world.ask('POST', `/1/apps/{user}/{application}/${operation}`, { params: { user: 'ann', application: 'shop' } });

  it('a deploy by hand is of that branch', async () => {
    await settings({ branch: 'staging' });
    await ask('deploy');
    expect(await world.log.read('ann', 2)).toMatchObject({ branch: 'staging', ref: 'refs/heads/staging' });
  });

  it('a push of another one, which was refused, is not what is deployed again', async () => {
    const { number } = await append(world.log, { branch: 'staging', sha: 'f'.repeat(40) });
    await world.log.followBranch('ann', 'shop', 'master');
    await world.log.move('ann', number, () => ({ changes: { appName: 'shop', status: 'error' } }));
    await ask('redeploy');
    expect(await world.log.read('ann', 3)).toMatchObject({ branch: 'master', sha: world.lastEntry().sha });
  });
});
