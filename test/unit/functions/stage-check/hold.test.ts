import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../../functions/core/hold/checks.ts';
import type { CheckOutcome } from '../../../../functions/core/payload/delivery.ts';
import { AT, append, MINUTE } from '../../../support/entries.ts';
import { checkWorld, manifest, waitsForTravis } from '../../../support/worlds/check-world.ts';

const waits = { waits: true, because: "the hook's address says ci=wait" };
const ignores = { waits: false, because: "The hook's address says ci=ignore" };
const held = { 'package.json': manifest, ...waitsForTravis };

/** A world in which a CI provider is to be expected until that time. */
async function expecting(provider: string, until: number, track = 'master') {
  const world = checkWorld();
  await append(world.log, { status: 'skipped' }, { isNewestPush: false, expectedCi: { track, provider, until } });
  return world;
}

const said = (check: string, outcome: CheckOutcome): CheckResult => ({
  provider: 'github-actions',
  check,
  outcome,
  state: outcome,
});

let { commit, push, build, check, read } = checkWorld();
beforeEach(() => {
  ({ commit, push, build, check, read } = checkWorld());
});

describe('a push to a branch that a CI provider has called about', () => {
  it('is held though no file of the repository asks for it, and says for whom', async () => {
    const { commit, push, check } = await expecting('github-actions', AT + MINUTE);
    await push(commit(null));
    expect(await check(2)).toMatchObject({
      status: 'held',
      appName: 'shop',
      reason: 'Waiting for CI (github-actions) to call with a passed build of this commit.',
    });
  });

  it.each(['circleci', 'ci', 'gitea-actions', 'forgejo-actions'])(
    'is held for %s, whose webhooks need not be set in a file of the repository',
    async (provider) => {
      const { commit, push, check } = await expecting(provider, AT + MINUTE);
      await push(commit(null));
      expect(await check(2)).toMatchObject({ status: 'held', reason: expect.stringContaining(`(${provider})`) });
    },
  );

  it('is released by a passed build', async () => {
    const { commit, push, build, check, read } = await expecting('github-actions', AT + MINUTE);
    const head = commit(null);
    await push(head);
    await check(2);
    await build(head, said('build', 'passed'), { provider: 'github-actions' });
    expect(await check(3)).toMatchObject({ status: 'skipped' });
    expect(await read(2)).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it.each([
    ['that has not called for long', 'github-actions', AT, 'master'],
    ['of another branch', 'github-actions', AT + MINUTE, 'staging'],
    ['that calls only when a file says so, and it does not', 'travis', AT + MINUTE, 'master'],
  ])('is deployed at once when it is one %s', async (_what, provider, until, branch) => {
    const { commit, push, check } = await expecting(provider, until, branch);
    await push(commit(null));
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a push whose message skips one CI provider', () => {
  const skipsCi = ['travis'];

  it.each([
    ['its configuration file asks for', held, {}],
    ['its hook asks for', undefined, { ci: waits }],
  ])('does not wait for it, though %s', async (_what, files, patch) => {
    await push(commit(null, files), { ...patch, skipsCi });
    const entry = await check(1);
    expect(entry).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(entry.stages[0]?.detail).toContain("The commit's message skips travis");
  });

  it.each([{}, { ci: waits }])('waits for the other that has called before (%j)', async (patch) => {
    const { commit, push, check } = await expecting('github-actions', AT + MINUTE);
    await push(commit(null, held), { ...patch, skipsCi });
    expect(await check(2)).toMatchObject({ status: 'held' });
  });
});

describe('the choice of a push or its hook', () => {
  it('holds a push that nothing else would hold', async () => {
    await push(commit(null), { ci: waits });
    const entry = await check(1);
    expect(entry.status).toBe('held');
    expect(entry.reason).toContain('ci=wait');
  });

  it('deploys a push at once that its repository would hold, and says so', async () => {
    await push(commit(null, held), { ci: ignores });
    const { status, stage, stages } = await check(1);
    expect({ status, stage }).toEqual({ status: 'running', stage: 'fetch' });
    expect(stages[0]?.detail).toContain("The hook's address says ci=ignore: it did not wait for CI");
  });

  it('deploys a push whose checks have failed, when it is not to wait for them', async () => {
    const head = commit(null, held);
    await build(head, said('build', 'failed'));
    await push(head, { ci: ignores });
    expect(await check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('a commit with several checks', () => {
  it('is deployed when the last of them has passed, and not before', async () => {
    const head = commit(null, held);
    await push(head);
    await check(1);
    await build(head, said('unit', 'pending'));
    await build(head, said('lint', 'passed'));
    const early = await check(3);
    expect(early).toMatchObject({ status: 'skipped' });
    expect(early.reason).toContain('the check "unit" of github-actions');
    expect(await read(1)).toMatchObject({ status: 'held' });
    await build(head, said('unit', 'passed'));
    await check(4);
    expect(await read(1)).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it('is not deployed by a pass after another check has failed, until that one passes', async () => {
    const head = commit(null, held);
    await build(head, said('unit', 'failed'));
    await push(head);
    expect(await check(2)).toMatchObject({ status: 'skipped' });
    await build(head, said('lint', 'passed'));
    expect((await check(3)).reason).toBe('CI did not pass: the check "unit" of github-actions said "failed".');
    await build(head, said('unit', 'passed'));
    expect(await check(4)).toMatchObject({ status: 'running', stage: 'fetch' });
  });

  it('waits for one that runs already when the push comes', async () => {
    const head = commit(null);
    await build(head, said('unit', 'pending'));
    await push(head);
    expect(await check(2)).toMatchObject({
      status: 'held',
      reason: 'Waiting for the check "unit" of github-actions to call with a passed build of this commit.',
    });
  });

  it('is not released by a pass when another check fails in the same moment', async () => {
    const world = checkWorld();
    const head = world.commit(null, held);
    await world.push(head);
    await world.check(1);
    await world.build(head, said('lint', 'passed'));
    world.beforeMoving(1, () => world.build(head, said('unit', 'failed')));
    expect(await world.check(2)).toMatchObject({ status: 'running', stage: 'check' });
    expect(await world.check(2)).toMatchObject({ status: 'skipped' });
    expect(await world.read(1)).toMatchObject({ status: 'held' });
  });
});
