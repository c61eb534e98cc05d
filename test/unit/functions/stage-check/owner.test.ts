import { describe, expect, it } from 'vitest';
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
    const { status, appName, error } = await check(2);
    expect({ status, appName, code: error?.code }).toEqual({
      status: 'error',
      appName: 'shop',
      code: 'deploy:platform:start_app',
    });
    expect(error?.detail).toBe(
      'The application shop belongs to ann/shop, and this is bob/fork. Give the package another name; or, when the ' +
        'repository was renamed or moved, remove the application (hooks remove shop), which frees its name.',
    );
    expect((await facts.branch('ann', fork, 'master')).activeDeploy).toBeNull();
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
    expect((await check(2)).error?.detail).toContain('belongs to ann/shop, and this is the folder web of ann/shop.');
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
