import { beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { releaseByHand } from '../../../../functions/core/hold/hold.ts';
import { endDeploy } from '../../../../functions/core/pipeline/end-deploy.ts';
import { AT } from '../../../support/entries.ts';
import { checkWorld, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

const held = { 'package.json': manifest, ...waitsForTravis };

let { commit, build, check, checkOnly, finish, log, push, read, host } = checkWorld();
beforeEach(() => {
  ({ commit, build, check, checkOnly, finish, log, push, read, host } = checkWorld());
});

/** Commits, each on top of the one before. */
function line(files?: Record<string, string>) {
  const first = commit(null, files);
  const second = commit(first, files);
  return { first, second, third: commit(second, files) };
}

describe('two pushes, one soon after the other', () => {
  it('come to one deploy: the older one is superseded and says by which', async () => {
    const { first, second } = line();
    await push(first);
    await push(second, { before: first.sha });
    await check(1);
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
    const superseded = await read(1);
    expect(superseded).toMatchObject({ status: 'superseded', error: null });
    expect(superseded.reason).toMatch(/: #2\.$/);
  });

  it('are both deployed when the newer one has no package.json', async () => {
    const first = commit(null);
    const second = commit(first, { 'README.md': '' });
    await push(first);
    await push(second, { before: first.sha });
    await check(2);
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a push that comes late', () => {
  it('does not replace a newer commit that was deployed, though a third push failed since', async () => {
    const { first, second } = line();
    const third = commit(second, { 'README.md': '' });
    await push(first);
    await push(second, { before: first.sha });
    await check(2);
    await finish(2, 'ok');
    await push(third, { before: second.sha });
    await check(3);
    expect(await check(1)).toMatchObject({ status: 'superseded' });
  });

  it('does not replace a newer commit that runs, though what was promoted after that was taken off the branch', async () => {
    const { first, second, third } = line();
    await push(second, { before: null });
    await check(1);
    await log.move('ann', 1, () => ({ changes: { status: 'ok', finishedAt: AT }, activates: true }));
    await push(third, { before: second.sha });
    await check(2);
    host.branch(second, 'master');
    await push(second, { before: third.sha, forced: true, status: 'skipped' });
    await push(first);
    expect(await check(4)).toMatchObject({ status: 'superseded', reason: expect.stringMatching(/, by #1\.$/) });
  });

  it('does not count as the newest one while the host may not know of a push that came a moment ago', async () => {
    const { first, second, third } = line();
    await push(first);
    await check(1);
    await finish(1, 'ok');
    host.branch(third, 'master');
    await push(third, { before: second.sha });
    await check(2);
    host.branch(second, 'master');
    await push(second, { before: first.sha });
    await push(third, { before: second.sha });
    expect(await checkOnly(3)).toMatchObject({ status: 'running', stage: 'check' });
    host.branch(third, 'master');
    expect(await check(3)).toMatchObject({ status: 'superseded' });
  });

  it('is deployed when it has moved the branch back, though the host says the commit before for some seconds', async () => {
    const { first, second, third } = line();
    await push(second);
    await check(1);
    await finish(1, 'ok');
    host.branch(second, 'master');
    await push(first, { before: third.sha });
    expect(await checkOnly(2)).toMatchObject({ status: 'running', stage: 'check' });
    host.branch(first, 'master');
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a push that moves the branch back', () => {
  it('is not taken for the push that a build had been waiting for', async () => {
    const { first, second } = line(held);
    await build(first, passed);
    await check(1);
    await finish(1, 'ok');
    await build(second, passed);
    await check(2);
    await finish(2, 'ok');
    host.branch(first, 'master');
    await push(first, { before: second.sha, forced: true });
    expect(await check(3)).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it('deploys when the commit that was deployed before is gone from the repository', async () => {
    const first = commit(null);
    await push(first);
    await check(1);
    await finish(1, 'ok');
    await push(commit(null), { before: 'f'.repeat(40) });
    host.failWith('compare', new DeployError('deploy:repohost:no_pkg_json', 'Not found.', { retry: false }));
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a commit that the last push does not name', () => {
  const refuses = (retry: boolean, as?: 'unknown') =>
    host.failWith('tip', new DeployError('deploy:repohost:no_pkg_json', 'No.', { retry, host: as }));

  it('is decided on when the host answers where the branch is', async () => {
    const { second } = line();
    await push(second, { before: 'f'.repeat(40) });
    await push(second, { before: 'e'.repeat(40) });
    refuses(true);
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'check' });
    host.failWith('tip', null);
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it('is compared with the last push when the host refuses', async () => {
    const { first, second } = line();
    await push(first);
    await check(1);
    await push(second, { before: first.sha });
    await check(2);
    refuses(false);
    await build(first, passed);
    expect(await check(3)).toMatchObject({ status: 'superseded', reason: expect.stringMatching(/ by #2\.$/) });
  });

  it('is ended at once when the host refuses for good, and asked for again when it may not know it yet', async () => {
    const { first, second } = line();
    await push(first, { before: 'f'.repeat(40) });
    await push(second, { before: 'e'.repeat(40) });
    host.failWith('compare', new DeployError('deploy:repohost:no_pkg_json', 'No.', { retry: false }));
    refuses(false, 'unknown');
    expect(await checkOnly(1)).toMatchObject({ status: 'running', stage: 'check' });
    refuses(false);
    expect(await checkOnly(1)).toMatchObject({ status: 'superseded' });
  });

  it('is not deployed when its branch is not there any more', async () => {
    const { first } = line();
    await build(first, passed, { branch: 'gone' });
    expect(await check(1)).toMatchObject({
      status: 'superseded',
      reason: `ann/shop has no branch gone any more; the commit ${first.sha.slice(0, 10)} is not deployed.`,
    });
  });
});

describe('where CI decides', () => {
  /** A push and one on top of it, which both wait for CI. */
  async function twoHeld() {
    const world = checkWorld();
    const first = world.commit(null, held);
    const second = world.commit(first, held);
    await world.push(first);
    await world.check(1);
    await world.push(second, { before: first.sha });
    await world.check(2);
    return { ...world, first, second };
  }

  it('a released commit does not give way to a second push of it, which waits', async () => {
    const { first, push, log, queue, clock, read, check } = await twoHeld();
    await releaseByHand({ user: 'ann', number: 1 }, { log, queue, clock, trace: () => {} });
    await push(first, { forced: true });
    await check(1);
    expect(await read(1)).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it('of two pushes of one commit that wait the later one does, and nothing deploys what was cancelled as that', async () => {
    const { first, second, push, build, check, read, clock, log, queue } = await twoHeld();
    await push(first, { before: second.sha, forced: true });
    expect(await check(3)).toMatchObject({ status: 'held' });
    expect(await read(1)).toMatchObject({ status: 'superseded', reason: 'The same commit waits in #3 now.' });
    await endDeploy(
      { user: 'ann', number: 3 },
      { status: 'cancelled', reason: 'Cancelled by ann.' },
      { log, queue, clock },
    );
    await build(first, passed);
    const reason = 'The build passed, but the deploy of this commit was cancelled: #3.';
    expect(await check(4)).toMatchObject({ status: 'skipped', reason });
  });

  it('a held push goes after an older commit that its own build deployed, though its number is lower', async () => {
    const { first, second } = line(held);
    await push(first);
    await push(second, { before: first.sha });
    expect(await check(2)).toMatchObject({ status: 'held' });
    await build(first, passed);
    const older = await check(3);
    expect(older).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(await check(1)).toMatchObject({ status: 'skipped', reason: expect.stringMatching(/ #3\.$/) });
    await build(second, passed);
    await check(4);
    const newer = await read(2);
    expect(newer).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(newer.order).toBeGreaterThan(older.order ?? 0);
  });
});
