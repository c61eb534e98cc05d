import { describe, expect, it } from 'vitest';
import { deployOfSnapshot } from '../../../functions/core/entry/snapshot.ts';
import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import { previewWorld } from '../../contracts/previews.ts';
import { SECOND } from '../../support/entries.ts';
import { afterRename, type Check, idAt, pushCall, renameAt, runCall } from '../../support/histories/calls.ts';
import { rolesInMemory } from '../../support/worlds/pipeline-world.ts';

type Name = 'shop' | 'store';

/** A repository `shop`, which is live, and later calls of its host and its CI by that name or by `store`. */
async function renamed(ci: 'wait' | 'auto') {
  const world = await previewWorld(rolesInMemory(), 'shop', idAt('github'));
  const { host, clock, platform } = world;
  renameAt(host);
  let calls = 0;
  const told = (commit: CommitRef) => {
    calls += 1;
    clock.pass(15 * SECOND);
    return { id: `call-${calls}`, commit, words: 'Nothing else.', branch: 'master', at: clock.now() };
  };
  const send = async (hook: ReturnType<typeof pushCall>, name: Name) => {
    const call = name === 'shop' ? hook : afterRename(hook);
    await world.call({ ...call, query: { branch: 'master', ...(ci === 'wait' && { ci }) } });
    await world.drain();
  };
  const push = async (before: CommitRef, name: Name) => {
    const files = { 'package.json': '{"name":"shop"}' };
    const commit = host.commit({ owner: 'ann', name: 'shop', files, parent: before });
    host.branch(commit, 'master');
    await send(pushCall('github', { ...told(commit), before, forced: false }), name);
    return commit;
  };
  /** The check 0 is of GitHub Actions; 3 is of another CI, whose calls have no id of the repository. */
  const run = async (commit: CommitRef, check: Check, outcome: 'passed' | 'failed', name: Name) => {
    const hook = runCall('github', { ...told(commit), outcome, check, attempt: calls, run: calls });
    if (hook) await send(hook, name);
  };
  const live = async () => {
    const { serving = null } = platform.app({ user: 'ann', app: 'shop' }) ?? {};
    return (await world.read({ number: (serving && deployOfSnapshot(serving)) || 0 })).sha;
  };
  const first = await push(world.trunk, 'shop');
  await run(first, 3, 'passed', 'shop');
  await run(first, 0, 'passed', 'shop');
  expect(await live()).toBe(first.sha);
  return { ...world, first, push, run, live };
}

describe('a repository that was renamed, with two CI systems of which one sends no id', () => {
  it.each(['wait', 'auto'] as const)('deploys no commit that one of them has failed, ci=%s', async (ci) => {
    const { first, push, run, live } = await renamed(ci);
    const held = await push(first, 'shop');
    await run(held, 3, 'failed', 'store');
    await run(held, 0, 'passed', 'store');
    expect(await live()).toBe(first.sha);
    await run(held, 3, 'passed', 'store');
    expect(await live()).toBe(held.sha);
  });

  it('ends at once what is held by the former name, when a build of the new one fails', async () => {
    const { first, push, run, live, entries } = await renamed('wait');
    const held = await push(first, 'shop');
    await run(held, 0, 'failed', 'store');
    const ofPush = (await entries()).find(({ sha, kind }) => sha === held.sha && kind === 'push');
    expect(ofPush).toMatchObject({ status: 'skipped', reason: expect.stringContaining('CI did not pass') });
    await run(held, 0, 'passed', 'store');
    expect(await live()).toBe(held.sha);
  });

  it('heeds CI that goes on to send the former name', async () => {
    const { first, push, run, live } = await renamed('auto');
    const second = await push(first, 'store');
    await run(second, 0, 'passed', 'store');
    expect(await live()).toBe(second.sha);
    await run(second, 3, 'passed', 'shop');
    const third = await push(second, 'store');
    await run(third, 3, 'failed', 'shop');
    await run(third, 0, 'passed', 'store');
    expect(await live()).toBe(second.sha);
    await run(third, 3, 'passed', 'shop');
    expect(await live()).toBe(third.sha);
  });

  it('that got its former name back deploys no commit that one of them has failed', async () => {
    const { first, push, run, live } = await renamed('auto');
    const second = await push(first, 'store');
    await run(second, 0, 'passed', 'store');
    const third = await push(second, 'shop');
    await run(third, 3, 'failed', 'shop');
    await run(third, 0, 'passed', 'shop');
    expect(await live()).toBe(second.sha);
    await run(third, 3, 'passed', 'shop');
    expect(await live()).toBe(third.sha);
  });
});
