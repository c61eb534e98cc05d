import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { repository } from '../../../support/entries.ts';
import { checkWorld, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

const fork = { ...repository, owner: 'bob', name: 'fork' };

/** A world in which `ann/shop` has deployed the application `shop`, and one commit of another repository. */
async function deployed(files: Readonly<Record<string, string>> = { 'package.json': manifest }) {
  const world = checkWorld();
  const mine = world.commit(null);
  await world.push(mine);
  await world.check(1);
  return { ...world, mine, theirs: world.host.commit({ owner: 'bob', name: 'fork', files }) };
}

describe('an application', () => {
  it('belongs to the repository that first deployed it', async () => {
    const { facts } = await deployed();
    expect(await facts.appOwner('ann', 'shop')).toEqual({
      host: 'memory',
      owner: 'ann',
      name: 'shop',
      branch: 'master',
    });
  });

  it('is never replaced by another repository with the same package name, which is told what to do', async () => {
    const { push, theirs, check, facts } = await deployed();
    await push(theirs, { repository: fork });
    const detail =
      'The application shop belongs to ann/shop, and this is bob/fork. Give the package another name; or, to have it ' +
      'deploy shop from now on, with its variables, domains and data, run "hooks transfer shop memory/bob/fork".';
    const error = { code: 'deploy:platform:start_app', detail };
    // It is no failure of the application.
    expect(await check(2)).toMatchObject({ status: 'error', appName: null, error });
    expect((await facts.branch('ann', fork, 'master')).activeDeploy).toBeNull();
  });

  it('is deployed beside by a repository of the service that is told how, unless that is an environment', async () => {
    const { push, theirs, check, facts } = await deployed();
    const ownHost = { name: 'memory' };
    await push(theirs, { repository: fork });
    expect((await check(2, { ownHost })).error?.detail).toContain(
      'run "hooks create shop --environment staging" in the folder, and push as that says; else give the package another name',
    );
    await facts.ownApp('ann', 'shop-a', { host: 'memory', owner: 'ann', name: 'shop', environment: 'a' });
    await push(theirs, { repository: fork, environment: 'a' });
    const { appName, error } = await check(3, { ownHost });
    expect([appName, error?.detail]).toEqual([null, expect.not.stringContaining('hooks create')]);
  });

  it('is named by the hosts as well when the repositories differ in nothing else', async () => {
    const { commit, push, check, facts } = checkWorld();
    await facts.ownApp('ann', 'shop', { host: 'elsewhere', owner: 'ann', name: 'shop' });
    await push(commit(null));
    expect((await check(1)).error?.detail).toContain(
      'belongs to ann/shop at elsewhere, and this is ann/shop at memory.',
    );
  });

  it('of one folder is not replaced by the one in another folder of the repository', async () => {
    const { commit, push, check } = await deployed();
    await push(commit(null, { 'web/package.json': manifest }), { path: 'web' });
    const { detail } = (await check(2)).error ?? {};
    expect(detail).toContain('belongs to ann/shop, and this is the folder web of ann/shop.');
    expect(detail).toContain('run "hooks transfer shop memory/ann/shop --path web".');
  });

  it('has one owner for all names that are one name on the platform', async () => {
    const { push, theirs, check } = await deployed({ 'package.json': JSON.stringify({ name: 'SHOP' }) });
    await push(theirs, { repository: fork });
    expect(await check(2)).toMatchObject({ status: 'error', error: { code: 'deploy:platform:start_app' } });
  });

  it('goes on being deployed by its repository, and by another one when its name is free', async () => {
    const { commit, push, mine, theirs, check, facts } = await deployed();
    await push(commit(mine));
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    await facts.freeApp('ann', 'shop');
    await push(theirs, { repository: fork });
    expect(await check(3)).toMatchObject({ stage: 'fetch' });
  });

  it('goes on being deployed by the repository that it was given to, on its branch', async () => {
    const { commit, mine, push, theirs, check, facts } = await deployed();
    await facts.transferApp('ann', 'shop', { host: 'memory', owner: 'bob', name: 'fork' });
    await push(theirs, { repository: { ...fork, id: '8' } });
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    expect(await facts.appOwner('ann', 'shop')).toMatchObject({ name: 'fork', id: '8', branch: 'master' });
    await push(commit(mine));
    expect((await check(3)).error?.detail).toContain('belongs to bob/fork, and this is ann/shop.');
  });

  it('is not claimed by a push that waits for CI, but refused to it', async () => {
    const held = { 'package.json': manifest, ...waitsForTravis };
    const world = checkWorld();
    const theirs = world.host.commit({ owner: 'bob', name: 'fork', files: held });
    await world.push(theirs, { repository: fork });
    expect(await world.check(1)).toMatchObject({ status: 'held' });
    expect(await world.facts.appOwner('ann', 'shop')).toBeNull();
    await world.push(world.commit(null));
    expect(await world.check(2)).toMatchObject({ stage: 'fetch' });
    await world.build(theirs, passed, { repository: fork });
    await world.check(3);
    expect(await world.read(1)).toMatchObject({ status: 'error', error: { code: 'deploy:platform:start_app' } });
  });
});

describe('an application that was connected', () => {
  const connected = { provider: 'manual', kind: 'push', connects: true } as const;

  it('follows the branch that it was connected with, and is compared with it', async () => {
    const { push, check, commit, tracked } = checkWorld();
    await push(commit(null), connected);
    await check(1);
    expect(await tracked.tracked({ user: 'ann', app: 'shop' })).toMatchObject({ branch: 'master' });
    await push(commit(null, undefined, 'dev'), { branch: 'dev' });
    expect((await check(2)).error?.detail).toContain('follows the branch master, and this is dev');
    await push(commit(null));
    expect(await check(3)).toMatchObject({ stage: 'fetch' });
  });

  it('does so no more by a deploy of another branch by hand', async () => {
    const { push, check, commit, facts } = checkWorld();
    await push(commit(null), connected);
    await check(1);
    await push(commit(null, undefined, 'dev'), { provider: 'manual', branch: 'dev' });
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    expect(await facts.appOwner('ann', 'shop')).toMatchObject({ branch: 'master' });
  });

  it('is not connected with another branch than it follows', async () => {
    const { push, check, commit } = await deployed();
    await push(commit(null, undefined, 'dev'), { ...connected, branch: 'dev' });
    expect((await check(2)).error?.detail).toContain('follows the branch master, and this is dev');
  });
});

describe('a repository that was renamed or transferred', () => {
  const [shop, store] = [
    { ...repository, id: '7' },
    { ...repository, name: 'store', id: '7' },
  ];

  /** A world in which a repository with an id has deployed the application, and a commit of what it is called now. */
  async function renamed(first: typeof shop | typeof repository = shop) {
    const world = checkWorld();
    await world.push(world.commit(null), { repository: first });
    await world.check(1);
    const later = (owner: string, name: string) => {
      const commit = world.host.commit({ owner, name, files: { 'package.json': manifest } });
      world.host.branch(commit, 'master');
      return commit;
    };
    return { ...world, later };
  }

  it('goes on under its new name, and the entry says so once', async () => {
    const { push, check, later, facts, tracked } = await renamed();
    await push(later('ann', 'store'), { repository: store });
    const { stage, stages } = await check(2);
    expect({ stage, detail: stages[0]?.detail }).toEqual({
      stage: 'fetch',
      detail: expect.stringMatching(/^shop 1\.2\.3; ann\/shop is now ann\/store/),
    });
    expect(await facts.appOwner('ann', 'shop')).toMatchObject({ name: 'store', id: '7', branch: 'master' });
    expect(await tracked.tracked({ user: 'ann', app: 'shop' })).toMatchObject({ owner: { name: 'store' } });
    await push(later('ann', 'store'), { repository: store });
    expect((await check(3)).stages[0]?.detail).not.toContain('is now');
  });

  it('is known when its id came with a later push', async () => {
    const { push, check, commit, later } = await renamed(repository);
    await push(commit(null), { repository: shop });
    await check(2);
    await push(later('bob', 'store'), { repository: { ...store, owner: 'bob' } });
    expect(await check(3)).toMatchObject({ stage: 'fetch' });
  });

  it('is known when its id came with a push that was not deployed', async () => {
    const { push, build, check, commit, facts } = checkWorld();
    const first = commit(null);
    await push(first, { repository: shop, status: 'skipped' });
    await build(first, passed);
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    expect(await facts.appOwner('ann', 'shop')).toMatchObject({ id: '7' });
  });

  it('is known when its host has said its id, where no call does', async () => {
    const { push, check, commit, facts, host } = checkWorld();
    const describe = host.repository;
    host.repository = async (...asked) => ({ ...(await describe(...asked)), id: '7' });
    await push(commit(null));
    await check(1);
    expect(await facts.appOwner('ann', 'shop')).toMatchObject({ name: 'shop', id: '7' });
  });

  it('is not asked for by its host when that refuses to answer, and is tried again when it is away', async () => {
    const { push, check, commit, host } = checkWorld();
    await push(commit(null));
    host.failWith('repository', new DeployError('deploy:repohost:no_pkg_json', 'away', { retry: true }));
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'check' });
    host.failWith('repository', new DeployError('deploy:repohost:no_pkg_json', 'no', { retry: false }));
    expect(await check(1)).toMatchObject({ stage: 'fetch' });
  });

  it('is not asked for in the repositories of the service, which have none', async () => {
    const { push, check, commit, host } = checkWorld();
    host.failWith('repository', new DeployError('deploy:repohost:no_pkg_json', 'away', { retry: true }));
    await push(commit(null));
    expect(await check(1, { ownHost: { name: 'memory' } })).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it('is not taken for another one with its old name, or with the same id at another host', async () => {
    const { push, check, commit, later } = await renamed();
    await push(commit(null), { repository: { ...repository, id: '8' } });
    const { status, error } = await check(2);
    expect(status).toBe('error');
    expect(error?.detail).toContain('belongs to ann/shop with the id 7, and this is ann/shop with the id 8.');
    await push(later('ann', 'store'), { repository: { ...store, host: 'elsewhere' } });
    expect((await check(3)).error?.detail).toContain(
      'belongs to ann/shop at memory, and this is ann/store at elsewhere.',
    );
  });
});

describe('a package that got another name', () => {
  const store = { 'package.json': JSON.stringify({ name: 'store' }) };

  it.each([
    ['in the same repository', repository],
    ['with its repository', { ...repository, name: 'store', id: '7' }],
  ])('%s is no second application, and its commit is told how to go on', async (_, later) => {
    const { push, host, check, facts } = await deployed();
    await facts.ownApp('ann', 'shop', { host: 'memory', owner: 'ann', name: 'shop', id: '7' });
    const { owner, name } = later;
    const commit = host.commit({ owner, name, files: store });
    host.branch(commit, 'master');
    await push(commit, { repository: later });
    const detail =
      'package.json has the name store, which would become a new application without the variables, domains and data of ' +
      'shop, which this branch deploys. To go on with them, run "hooks rename shop store" or give the package that ' +
      "application's name; a second application beside it needs a folder (?path=) or an environment (?environment=) of " +
      "its own in the webhook's address.";
    const error = { code: 'deploy:platform:start_app', detail };
    expect(await check(2)).toMatchObject({ status: 'error', appName: 'shop', error });
    expect(await facts.appOwner('ann', 'store')).toBeNull();
  });

  it('is deployed in another folder, environment or repository, on another branch, and when the first is gone', async () => {
    const { commit, push, check, facts, host } = await deployed();
    await push(commit(null, { 'web/package.json': JSON.stringify({ name: 'web' }) }), { path: 'web' });
    await push(commit(null, store), { environment: 'staging' });
    await push(host.commit({ owner: 'bob', name: 'fork', files: { 'package.json': '{"name":"fork"}' } }), {
      repository: fork,
    });
    await push(commit(null, { 'package.json': '{"name":"next"}' }), { branch: 'next' });
    for (const number of [2, 3, 4, 5]) expect(await check(number)).toMatchObject({ stage: 'fetch' });
    await facts.freeApp('ann', 'shop');
    await push(commit(null, store));
    expect(await check(6)).toMatchObject({ stage: 'fetch' });
  });
});
