import { describe, expect, it } from 'vitest';
import { commitStatusOf } from '../../../../functions/core/entry/outcome.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { MINUTE, type Patch } from '../../../support/entries.ts';
import { checkWorld, failed, manifest, passed } from '../../../support/worlds/check-world.ts';

const pullRequest = { number: 7 };
const refused = (retry: boolean) => new DeployError('deploy:repohost:no_pkg_json', 'The host refused.', { retry });

/** A pull request whose call had 12 digits of its commit. */
async function abbreviated(patch: Patch = { pullRequest, branch: 'changes' }) {
  const world = checkWorld();
  world.host.pullRequest(7, true);
  const head = world.commit(null);
  const sha = head.sha.slice(0, 12);
  await world.push({ ...head, sha }, patch);
  return { ...world, head, sha };
}

describe('an entry with the first digits of its commit', () => {
  it('has the whole id before anything else is looked at, of which the commit state is', async () => {
    const { check, head, facts } = await abbreviated();
    expect(await check(1)).toMatchObject({ stage: 'fetch', sha: head.sha, appName: 'shop-pr-7' });
    expect(await facts.commitState('ann', head, ':7')).toMatchObject({ deploying: 1 });
    const activeDeploy = { number: 1, sha: head.sha };
    expect(await facts.branch('ann', head, ':7')).toMatchObject({ activeDeploy });
  });

  it.each([
    [passed, 'fetch'],
    [failed, 'check'],
  ])('is decided by what CI has said of the whole id: $outcome', async (result, stage) => {
    const world = checkWorld();
    const head = world.commit(null);
    await world.build(head, result, { status: 'skipped' });
    await world.push({ ...head, sha: head.sha.slice(0, 12) });
    const status = result === failed ? 'skipped' : 'running';
    expect(await world.check(2)).toMatchObject({ status, stage, sha: head.sha });
  });

  it('is asked for with the token of the user, in the repository that has the commit', async () => {
    const { host, push, check, asked } = checkWorld();
    host.pullRequest(7, true);
    const head = host.commit({ owner: 'mallory', name: 'shop', files: { 'package.json': manifest } });
    const ofFork = { number: 7, fromFork: true, source: 'mallory/shop' } as const;
    await push({ ...head, sha: head.sha.slice(0, 12) }, { branch: 'changes', pullRequest: ofFork });
    expect(await check(1)).toMatchObject({ status: 'held', sha: head.sha, repository: { owner: 'ann' } });
    expect(new Set(asked)).toEqual(new Set(['ann memory']));
  });

  it('is an error when the host does not have it, of the application of its branch and without a commit status', async () => {
    const { check, push, head, host } = await abbreviated();
    await check(1);
    host.failWith('wholeCommit', refused(false));
    await push({ ...head, sha: 'f'.repeat(12) }, { pullRequest, branch: 'changes' });
    const entry = await check(2);
    expect(entry).toMatchObject({ status: 'error', sha: 'f'.repeat(12), appName: 'shop-pr-7' });
    expect(entry.error?.detail).toContain('The host refused.');
    expect(commitStatusOf(entry)).toBeNull();
  });

  it('is tried again when the host does not answer', async () => {
    const { check, host, head, sha } = await abbreviated();
    host.failWith('wholeCommit', refused(true));
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'check', sha });
    host.failWith('wholeCommit', null);
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'fetch', sha: head.sha });
  });

  it('keeps the whole id over a crash, after which the host is not asked again', async () => {
    const { check, host, head } = await abbreviated();
    host.failWith('file', refused(true));
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'check', sha: head.sha });
    host.failWith('file', null);
    host.failWith('wholeCommit', refused(false));
    expect(await check(1)).toMatchObject({ status: 'running', stage: 'fetch', sha: head.sha });
  });

  it('is still claimed by the worker that has asked', async () => {
    const { check, host, log, clock } = await abbreviated();
    const { file } = host;
    const claims: string[] = [];
    host.file = async (...call) => {
      const now = clock.now();
      const times = { now, leaseUntil: now + MINUTE, dueAt: now + MINUTE };
      claims.push((await log.claim({ user: 'ann', number: 1, stage: 'check', ...times })).outcome);
      return file(...call);
    };
    expect(await check(1)).toMatchObject({ stage: 'fetch' });
    expect(new Set(claims)).toEqual(new Set(['locked']));
  });

  it('stays as it is when it was cancelled while the host was asked', async () => {
    const { check, host, log, sha } = await abbreviated();
    const { wholeCommit } = host;
    host.wholeCommit = async (...call) => {
      await log.move('ann', 1, () => ({ changes: { status: 'cancelled' } }));
      return wholeCommit(...call);
    };
    expect(await check(1)).toMatchObject({ status: 'cancelled', sha });
  });

  it('is superseded by one with the whole id of another commit, and not by one of the same', async () => {
    const { check, push, commit, head, host } = await abbreviated({ branch: 'changes', pullRequest });
    const newer = commit(head);
    await push(newer, { branch: 'changes', pullRequest });
    host.pullRequest(7, true, { sha: newer.sha.slice(0, 12) });
    expect(await check(1)).toMatchObject({ status: 'superseded', sha: head.sha });
    const other = checkWorld();
    const same = other.commit(null);
    await other.push(same);
    await other.push({ ...same, sha: same.sha.slice(0, 12) });
    expect(await other.check(1)).toMatchObject({ status: 'superseded', reason: expect.stringMatching(/#2\.$/) });
    expect(await other.check(2)).toMatchObject({ stage: 'fetch', sha: same.sha });
  });
});
