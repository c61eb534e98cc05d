import { describe, expect, it } from 'vitest';
import { MANUAL } from '../../../../functions/core/entry/providers.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { checkWorld, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

/** A world in which `shop` was deployed from `main`, and a commit of `staging` is there too. */
async function deployed(files: Readonly<Record<string, string>> = { 'package.json': manifest }) {
  const world = checkWorld();
  const main = world.commit(null, undefined, 'main');
  await world.push(main, { branch: 'main' });
  await world.check(1);
  await world.finish(1, 'ok');
  const staging = world.commit(main, files, 'staging');
  const pushStaging = (patch = {}) => world.push(staging, { branch: 'staging', ...patch });
  const followed = async (app = 'shop') => (await world.facts.appOwner('ann', app))?.branch;
  return { ...world, main, staging, pushStaging, followed };
}

describe('an application follows one branch', () => {
  it('and refuses a push of another one, with both branches and both ways out', async () => {
    const { pushStaging, check, facts, followed } = await deployed();
    await pushStaging();
    const detail =
      'The application shop follows the branch main, and this is staging: to deploy it beside, put an environment of its ' +
      'own into the address of this webhook (?environment=staging); to have shop follow staging, run "hooks set shop branch=staging".';
    const error = { code: 'deploy:platform:start_app', detail };
    expect(await check(2)).toMatchObject({ status: 'error', appName: 'shop', error });
    expect(
      (await facts.branch('ann', { host: 'memory', owner: 'ann', name: 'shop' }, 'staging')).activeDeploy,
    ).toBeNull();
    expect(await followed()).toBe('main');
  });

  it('and refuses a passed build of another one, and a commit of it that was found', async () => {
    const { staging, pushStaging, build, check } = await deployed();
    await build(staging, passed, { branch: 'staging' });
    expect((await check(2)).error?.detail).toContain('follows the branch main, and this is staging');
    await pushStaging({ provider: 'reconciled' });
    expect((await check(3)).error?.detail).toContain('follows the branch main, and this is staging');
  });

  it('and refuses a push of another one before it would wait for CI', async () => {
    const { pushStaging, check } = await deployed({ 'package.json': manifest, ...waitsForTravis });
    await pushStaging();
    expect(await check(2)).toMatchObject({ status: 'error', error: { code: 'deploy:platform:start_app' } });
  });

  it('but what a person deploys may be of any: it follows the same one afterwards', async () => {
    const { main, commit, push, pushStaging, check, followed } = await deployed();
    await pushStaging({ provider: MANUAL });
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    expect(await followed()).toBe('main');
    await push(commit(main, undefined, 'main'), { branch: 'main' });
    expect(await check(3)).toMatchObject({ stage: 'fetch' });
  });

  it('which is that of its next push when a person deployed it first', async () => {
    const { commit, push, check, facts } = checkWorld();
    await push(commit(null, undefined, 'main'), { branch: 'main', provider: MANUAL });
    await check(1);
    expect(await facts.appOwner('ann', 'shop')).not.toHaveProperty('branch');
    await push(commit(null, undefined, 'staging'), { branch: 'staging' });
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    expect(await facts.appOwner('ann', 'shop')).toMatchObject({ branch: 'staging' });
  });

  it('and another one beside it as an environment', async () => {
    const { pushStaging, check, followed } = await deployed();
    await pushStaging({ environment: 'staging' });
    expect(await check(2)).toMatchObject({ stage: 'fetch', appName: 'shop-staging' });
    expect([await followed(), await followed('shop-staging')]).toEqual(['main', 'staging']);
  });

  it('until it was moved: then the one before is refused', async () => {
    const { main, commit, push, pushStaging, check, facts } = await deployed();
    await facts.followBranch('ann', 'shop', 'staging');
    await pushStaging();
    expect(await check(2)).toMatchObject({ stage: 'fetch' });
    await push(commit(main, undefined, 'main'), { branch: 'main' });
    expect((await check(3)).error?.detail).toContain('follows the branch staging, and this is main');
  });

  it('and keeps the last of two that it was deployed from until now, which is said once', async () => {
    const { main, commit, push, pushStaging, staging, check, finish, facts } = await deployed();
    await facts.followBranch('ann', 'shop', 'staging');
    await pushStaging();
    await check(2);
    await finish(2, 'ok');
    const next = commit(main, undefined, 'main');
    await push(next, { branch: 'main', before: main.sha });
    expect((await check(3)).error?.detail).toContain('Until now pushes of both deployed it, those of main last as #1.');
    await push(commit(next, undefined, 'main'), { branch: 'main', before: next.sha });
    expect((await check(4)).error?.detail).not.toContain('Until now');
    await push(commit(staging, undefined, 'staging'), { branch: 'staging', before: staging.sha });
    expect(await check(5)).toMatchObject({ stage: 'fetch' });
  });
});

describe('a branch that does not exist any more', () => {
  /** `main` was renamed: the application still follows `master`. */
  async function renamed(files: Readonly<Record<string, string>> = { 'package.json': manifest }) {
    const world = await deployed(files);
    await world.facts.followBranch('ann', 'shop', 'master');
    return world;
  }

  it('gives way to the next one that is pushed, and the entry says so', async () => {
    const { pushStaging, check, followed } = await renamed();
    await pushStaging();
    const { stage, stages } = await check(2);
    expect({ stage, followed: await followed() }).toEqual({ stage: 'fetch', followed: 'staging' });
    expect(stages[0]?.detail).toContain('it follows staging from now on: ann/shop has no branch master any more');
  });

  it('does so for a push that waits for CI only when that is deployed', async () => {
    const { staging, pushStaging, build, check, read, followed } = await renamed({
      'package.json': manifest,
      ...waitsForTravis,
    });
    await pushStaging();
    expect(await check(2)).toMatchObject({ status: 'held' });
    expect(await followed()).toBe('master');
    await build(staging, passed, { branch: 'staging' });
    await check(3);
    expect(await read(2)).toMatchObject({ stage: 'fetch' });
    expect(await followed()).toBe('staging');
  });

  it('is not believed to be gone while the host does not answer, or does not show the repository', async () => {
    const { host, pushStaging, check, checkOnly, followed } = await renamed();
    host.failWith('tip', new DeployError('deploy:repohost:no_pkg_json', 'It is down.', { retry: true }));
    await pushStaging();
    expect(await checkOnly(2)).toMatchObject({ status: 'running', stage: 'check' });
    host.failWith('tip', new DeployError('deploy:repohost:no_pkg_json', 'It is private.', { retry: false }));
    await pushStaging();
    expect(await check(3)).toMatchObject({ status: 'error', error: { code: 'deploy:platform:start_app' } });
    expect(await followed()).toBe('master');
  });
});

describe('an application of a repository that the service hosts', () => {
  it('follows the default branch, of which alone its webhook calls', async () => {
    const { pushStaging, check, followed } = await deployed();
    await pushStaging({ provider: 'git' });
    const { stage, stages } = await check(2, { ownHost: { name: 'memory' } });
    expect({ stage, followed: await followed() }).toEqual({ stage: 'fetch', followed: 'staging' });
    expect(stages[0]?.detail).toContain('it follows staging from now on, the default branch, in place of main');
  });

  it('does not follow the branch of a webhook that names another one', async () => {
    const { pushStaging, check, followed } = await deployed();
    await pushStaging({ provider: 'github' });
    expect(await check(2, { ownHost: { name: 'memory' } })).toMatchObject({ status: 'error' });
    expect(await followed()).toBe('main');
  });

  it('does not follow the branch of a build', async () => {
    const { staging, build, check } = await deployed();
    await build(staging, passed, { branch: 'staging' });
    expect(await check(2, { ownHost: { name: 'memory' } })).toMatchObject({ status: 'error' });
  });
});
