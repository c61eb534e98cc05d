import { beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { AT, MINUTE } from '../../../support/entries.ts';
import { checkWorld, failed, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

const held = { 'package.json': manifest, ...waitsForTravis };

let { commit, push, build, check, read, finish, log, checkOnly, queue, facts, host, asked } = checkWorld();
beforeEach(() => {
  ({ commit, push, build, check, read, finish, log, checkOnly, queue, facts, host, asked } = checkWorld());
});

describe('a push', () => {
  it('is deployed as the application that package.json names, with a snapshot of its own', async () => {
    const head = commit(null);
    await push(head);
    expect(await check(1)).toMatchObject({
      stage: 'fetch',
      appName: 'shop',
      snapshot: '1.2.3-1',
      manifest: { name: 'shop', version: '1.2.3' },
    });
    const activeDeploy = { number: 1, sha: head.sha };
    expect(await facts.branch('ann', head, 'master')).toMatchObject({ newest: 1, activeDeploy, app: 'shop', ci: {} });
    expect(await facts.commitState('ann', head, 'master')).toMatchObject({ deploying: 1, awaitsPush: false });
  });

  it('is read with the token of the user for that host', async () => {
    await push(commit(null));
    await check(1);
    expect(new Set(asked)).toEqual(new Set(['ann memory']));
  });

  it('stores only the summary of the manifest, however large the file is', async () => {
    const scripts = { start: 'node .', test: 'vitest', build: 'x'.repeat(5000) };
    const large = {
      name: 'shop',
      version: '1.2.3',
      scripts,
      main: 'main.js',
      dependencies: { left: '1' },
      x: 'x'.repeat(9e5),
    };
    await push(commit(null, { 'package.json': JSON.stringify(large) }));
    const told = { name: 'shop', version: '1.2.3', main: 'main.js', scripts: { start: 'node .' } };
    expect((await check(1)).manifest).toEqual(told);
  });

  it('without a package.json is an error that names the commit', async () => {
    const head = commit(null, { 'README.md': 'Nothing here.' });
    await push(head);
    const { error } = await check(1);
    expect(error).toMatchObject({ code: 'deploy:repohost:no_pkg_json', status: 502 });
    expect(error?.detail).toContain(head.sha.slice(0, 10));
    expect(error?.detail).toContain('such as {"name":"shop","scripts":{"start":"node server.js"}}');
  });

  it.each([
    ['Dockerfile', 'a Dockerfile. No image is built from it: commit a package.json'],
    [
      'requirements.txt',
      'a requirements.txt. Commit a package.json that names the application and says how it is started',
    ],
    ['go.mod', 'a go.mod. Commit a package.json that names the application'],
    ['index.html', 'an index.html. To deploy it as a static site, commit a package.json that names'],
    ['public/index.html', 'a public/index.html. To deploy it as a static site, commit'],
  ])('without a package.json but with a %s is an error that says what to do about it', async (file, named) => {
    await push(commit(null, { [`web/${file}`]: 'x'.repeat(2e6), [file]: '' }));
    expect((await check(1)).error?.detail).toContain(`, but ${named}`);
  });

  it('without a package.json in its folder says that the root has one', async () => {
    await push(commit(null), { path: 'web' });
    expect((await check(1)).error?.detail).toMatch(/The root folder has one: remove \?path= from/);
  });

  it('of an application in a folder is read from that folder, and held by the CI file in the root', async () => {
    const web = { 'packages/web/package.json': JSON.stringify({ name: 'web' }) };
    await push(commit(null, { ...web, 'package.json': manifest }), { path: 'packages/web' });
    expect(await check(1)).toMatchObject({ stage: 'fetch', appName: 'web', snapshot: '0.0.0-1' });
    await push(commit(null, { ...web, ...waitsForTravis }), { path: 'packages/web' });
    expect(await check(2)).toMatchObject({ status: 'held', appName: 'web' });
  });

  it('is deployed as both applications of its repository, whichever is first', async () => {
    const file = (name: string) => JSON.stringify({ name });
    const head = commit(null, { 'web/package.json': file('web'), 'api/package.json': file('api') });
    await push(head, { path: 'web' });
    await push(head, { path: 'api' });
    expect(await check(2)).toMatchObject({ stage: 'fetch', appName: 'api' });
    expect(await check(1)).toMatchObject({ stage: 'fetch', appName: 'web' });
  });

  it.each([
    ['no package.json', 'There is no package.json in the folder packages/web of commit'],
    ['one without a name', 'packages/web/package.json has no name'],
  ])('of a folder with %s is an error that names the folder', async (what, sentence) => {
    const files = what === 'no package.json' ? {} : { 'packages/web/package.json': '{}' };
    await push(commit(null, { 'package.json': manifest, ...files }), { path: 'packages/web' });
    expect((await check(1)).error?.detail).toContain(sentence);
  });

  it('with a package.json that cannot be read still belongs to the application of its branch', async () => {
    const first = commit(null);
    await push(first);
    await check(1);
    await push(commit(first, { 'package.json': '{' }), { before: first.sha });
    expect(await check(2)).toMatchObject({
      status: 'error',
      appName: 'shop',
      error: { code: 'deploy:repohost:no_pkg_json' },
    });
  });

  it('without a message of its own is skipped when that of its commit says so, once the host has it at the tip', async () => {
    const { commit, push, checkOnly, check, host } = checkWorld();
    const first = commit(null);
    const last = host.commit({ ...first, files: { 'package.json': manifest }, message: 'A [skip deploy]' });
    await push(last, { message: null });
    expect(await checkOnly(1)).toMatchObject({ status: 'running', stage: 'check' });
    host.branch(last, 'master');
    expect(await check(1)).toMatchObject({ status: 'skipped', reason: "The commit's message says [skip deploy]." });
  });

  it('is retried when the host does not answer', async () => {
    await push(commit(null));
    host.failWith('file', new DeployError('deploy:repohost:no_pkg_json', 'The host answered 503.', { retry: true }));
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'check' });
    host.failWith('file', null);
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a push whose repository uses CI with a webhook', () => {
  it('is held: named, due when the hold ends, and not queued any further', async () => {
    const head = commit(null, held);
    await push(head);
    expect(await check(1)).toMatchObject({
      status: 'held',
      appName: 'shop',
      snapshot: '1.2.3-1',
      reason: 'Waiting for Travis CI to call with a passed build of this commit.',
      finishedAt: null,
      expiresAt: AT + 60 * MINUTE,
    });
    expect(queue.sent).toEqual([]);
    expect(await facts.commitState('ann', head, 'master')).toMatchObject({ held: 1, deploying: null });
    expect(await log.due(AT + 60 * MINUTE - 1, 10)).toEqual([]);
    expect(await log.due(AT + 60 * MINUTE, 10)).toHaveLength(1);
  });

  it('is not held when its webhook is never called on success, and says so', async () => {
    const never = 'notifications:\n  webhooks:\n    urls: https://hooks.example.com/\n    on_success: never\n';
    await push(commit(null, { 'package.json': manifest, '.travis.yml': never }));
    const { stage, stages } = await check(1);
    expect(stage).toBe('fetch');
    expect(stages[0]?.detail).toContain('on_success: never');
  });

  it('whose package.json is missing fails for that, whatever its CI configuration holds', async () => {
    await push(commit(null, { '.travis.yml': 'webhooks: [' }));
    expect((await check(1)).error?.code).toBe('deploy:repohost:no_pkg_json');
  });

  it('is an error, and of its application, when that configuration cannot be read', async () => {
    await push(commit(null, { 'package.json': manifest, '.travis.yml': 'webhooks: [' }));
    const entry = await check(1);
    expect(entry).toMatchObject({ status: 'error', appName: 'shop' });
    expect(entry.reason).toContain('.travis.yml');
  });
});

describe('a passed build', () => {
  it('releases the held push, whose stage runs again', async () => {
    const head = commit(null, held);
    await push(head);
    await check(1);
    queue.reports.length = 0;
    await build(head, passed);
    const released = await checkOnly(2);
    expect(released).toMatchObject({ status: 'skipped' });
    expect(released.reason).toMatch(/: #1\.$/);
    expect(await read(1)).toMatchObject({ status: 'running', stage: 'check', reason: null });
    expect(queue.sent).toEqual([{ user: 'ann', number: 1, stage: 'check', group: 'ann/ann/shop' }]);
    expect(queue.reports).toContainEqual({ user: 'ann', number: 1 });
    expect(await facts.commitState('ann', head, 'master')).toMatchObject({ held: null, deploying: 1 });
    expect(await checkOnly(1)).toMatchObject({ status: 'running', stage: 'fetch', reason: null });
    expect(queue.sent.at(-1)).toEqual({ user: 'ann', number: 1, stage: 'fetch', group: 'ann/entry/1' });
    expect(await facts.commitState('ann', head, 'master')).toMatchObject({
      held: null,
      deploying: 1,
      awaitsPush: false,
    });
  });

  it('leaves no trace of the hold in the stages of the push that it releases', async () => {
    const head = commit(null, held);
    await push(head);
    expect((await check(1)).stages).toMatchObject([{ name: 'check', status: 'done', attempts: 1 }]);
    await build(head, passed);
    await check(2);
    const { stages } = await read(1);
    expect(stages).toMatchObject([{ name: 'check', status: 'done', attempts: 1, detail: 'shop 1.2.3' }]);
  });

  it.each([
    ['before the push has been looked at again', 'checkOnly'],
    ['after it', 'check'],
  ] as const)('releases once when it is called a second time %s', async (_when, check) => {
    const world = checkWorld();
    const head = world.commit(null, held);
    await world.push(head);
    await world.check(1);
    await world.build(head, passed);
    await world.build(head, passed);
    await world[check](2);
    expect(await world.checkOnly(3)).toMatchObject({ status: 'skipped' });
    expect(world.queue.sent).toHaveLength(1);
  });

  it('does not deploy the push when another check fails before the push has been looked at again', async () => {
    const head = commit(null, held);
    await push(head);
    await check(1);
    await build(head, passed);
    await checkOnly(2);
    const lint = { provider: 'github-actions', check: 'lint', outcome: 'failed', state: 'failed' } as const;
    const { appOwner } = log;
    log.appOwner = async (...args) => {
      log.appOwner = appOwner;
      await build(head, lint);
      return appOwner.apply(log, args);
    };
    expect(await checkOnly(1)).toMatchObject({ status: 'running', stage: 'check' });
    expect(await checkOnly(1)).toMatchObject({ status: 'skipped', reason: expect.stringContaining('"lint"') });
  });

  it('that came before the push deploys the commit, and the push finds it deployed', async () => {
    const head = commit(null, held);
    await build(head, passed);
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'fetch', appName: 'shop' });
    await push(head);
    const answered = await check(2);
    expect(answered).toMatchObject({ status: 'skipped' });
    expect(answered.reason).toContain('The passed build came first');
  });

  it('lets a push that comes while its entry waits to be looked at deploy at once', async () => {
    const head = commit(null, held);
    await build(head, passed);
    await push(head);
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(await check(1)).toMatchObject({ status: 'skipped' });
  });

  it('deploys by itself when the hold ended while it was released', async () => {
    const world = checkWorld();
    const head = world.commit(null, held);
    await world.push(head);
    await world.check(1);
    await world.build(head, passed);
    // The sweeper ends the hold between the look at it and the step that releases it.
    world.beforeMoving(1, () =>
      world.log.move('ann', 1, () => ({ changes: { status: 'expired' }, commitState: { held: null } })),
    );
    expect(await world.check(2)).toMatchObject({ status: 'running', stage: 'check' });
    expect(await world.check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(await world.read(1)).toMatchObject({ status: 'expired' });
  });

  it('deploys a commit whose first deploy failed', async () => {
    const head = commit(null, held);
    await push(head);
    await check(1);
    await build(head, passed);
    await check(2);
    await finish(1, 'error');
    await build(head, passed);
    expect(await check(3)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a failed build', () => {
  it('that comes while the push is being looked at is not overlooked', async () => {
    const world = checkWorld();
    const head = world.commit(null, held);
    await world.push(head);
    const { commitState } = world.log;
    world.log.commitState = async (...args) => {
      const before = await commitState.apply(world.log, args);
      world.log.commitState = commitState;
      await world.build(head, failed);
      return before;
    };
    expect(await world.check(1)).toMatchObject({ status: 'running', stage: 'check' });
    expect(await world.check(1)).toMatchObject({ status: 'skipped' });
  });
});
