import { beforeEach, describe, expect, it } from 'vitest';
import type { Entry, Status } from '../../../../functions/core/entry/entry.ts';
import { ciChoice, onceInstead } from '../../../../functions/core/entry/kinds.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import type { CommitRef } from '../../../../functions/core/payload/delivery.ts';
import { reconcile } from '../../../../functions/reconcile/reconcile.ts';
import { AT, append, draft, MINUTE, type Patch, repository } from '../../../support/entries.ts';
import { checkWorld, failed, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

const waits = { waits: true, because: "the hook's address says ci=wait", from: 'hook' } as const;

let world: ReturnType<typeof reconcileWorld>;
let first: CommitRef;

beforeEach(async () => {
  world = reconcileWorld();
  first = await world.deployed();
  world.clock.pass(MINUTE);
});

/** A repository whose first commit is live, and the schedule that compares it. */
function reconcileWorld() {
  const check = checkWorld();
  const { log, host, clock } = check;
  const traced: Record<string, unknown>[] = [];
  const ports = {
    ...check,
    apps: log,
    host: () => host,
    reader: log,
    appFacts: log,
    minutes: 60,
    trace: (event: string, fields: object) => void traced.push({ event, ...fields }),
  };
  const tip = (commit: CommitRef) => host.branch(commit, 'master');
  const entries = async () => (await log.page({ user: 'ann', app: null, skip: 0, limit: 100 })).entries;
  return {
    ...check,
    traced,
    entries,
    ports,
    /** Makes a commit the tip of the deployed branch, as a push that no webhook tells. */
    missed(parent: CommitRef | null, files: Record<string, string> = {}, message = 'suite'): CommitRef {
      const all = { 'package.json': manifest, ...files };
      const commit = host.commit({ owner: 'ann', name: 'shop', files: all, message, ...(parent && { parent }) });
      tip(commit);
      return commit;
    },
    tip,
    async deployed(): Promise<CommitRef> {
      const commit = check.commit(null);
      tip(commit);
      await check.push(commit);
      await check.check(1);
      await log.move('ann', 1, () => ({ changes: { status: 'ok', finishedAt: AT }, activates: true }));
      return commit;
    },
    run: async (everything = false) => {
      const looked = await reconcile(ports, everything);
      return { looked, newest: (await entries())[0] as Entry };
    },
    later: () => clock.pass(60 * MINUTE),
  };
}

describe('a commit that no webhook has brought', () => {
  it('is deployed from the first stage as its push would have been, with its message and author', async () => {
    const commit = world.missed(first, {}, 'Second\n\nDetails');
    const { newest } = await world.run();
    expect(newest).toMatchObject({
      number: 2,
      provider: 'reconciled',
      status: 'queued',
      stage: 'check',
      sha: commit.sha,
      branch: 'master',
      ref: 'refs/heads/master',
      repository,
      message: 'Second',
      author: 'Ada',
      base: draft().base,
      forced: false,
    });
    expect(world.queue.sent.at(-1)).toMatchObject({ number: 2, stage: 'check' });
    expect(world.traced).toMatchObject([{ event: 'missed commit found', user: 'ann', app: 'shop', number: 2 }]);
  });

  it('is deployed once, however often it is looked at, and by two at the same moment', async () => {
    world.missed(first);
    await Promise.all([world.run(true), world.run(true)]);
    world.later();
    await world.run();
    expect(await world.entries()).toHaveLength(2);
  });

  it('waits for CI as a push does', async () => {
    world.missed(first, waitsForTravis);
    await world.run();
    expect(await world.checkOnly(2)).toMatchObject({ status: 'held', provider: 'reconciled' });
  });

  it('follows the address of the hook by which the last push came', async () => {
    const second = world.missed(first);
    await world.push(second, { ci: { waits: false, because: "The hook's address says ci=ignore", from: 'hook' } });
    const third = world.missed(second, waitsForTravis);
    await world.run();
    expect(await world.check(3)).toMatchObject({ status: 'running', sha: third.sha, stage: 'fetch' });
  });

  it.each([
    ['whose message skips CI', ciChoice(waits, { ci: true, deploy: false, words: '[skip ci]' })],
    ['that a person let go', onceInstead(waits, 'It was released by hand')],
    ['that a person has deployed again since', waits],
  ])('waits for CI as the address of the hook says, after a push %s', async (_what, ci) => {
    const second = world.missed(first);
    await world.push(second, { ci });
    await world.checkOnly(2);
    if (ci === waits) {
      await world.push(second, { provider: 'manual', ci: onceInstead(undefined, 'It was requested manually') });
      await world.checkOnly(3);
    }
    world.missed(second);
    const { newest } = await world.run();
    expect(await world.checkOnly(newest.number)).toMatchObject({
      status: 'held',
      provider: 'reconciled',
      reason: "Waiting for CI (the hook's address says ci=wait) to call with a passed build of this commit.",
    });
  });

  it('does not wait when its message says [skip ci]', async () => {
    world.missed(first, waitsForTravis, 'Second [skip ci]');
    await world.run();
    expect(await world.check(2)).toMatchObject({ status: 'running' });
  });

  it('is not deployed when its message says so, and is recorded once', async () => {
    world.missed(first, {}, 'Second [skip deploy]');
    const { newest } = await world.run();
    expect(newest).toMatchObject({ status: 'skipped', reason: "The commit's message says [skip deploy]." });
    world.later();
    await world.run();
    expect(await world.entries()).toHaveLength(2);
  });

  it('is not deployed when CI has failed for it, though its push was missed', async () => {
    const commit = world.missed(first);
    await world.build(commit, failed);
    await world.run();
    expect(await world.check(3)).toMatchObject({ status: 'skipped', provider: 'reconciled' });
  });

  it('belongs to its folder, which no other application of the repository has', async () => {
    const commit = world.host.commit({ owner: 'ann', name: 'shop', files: { 'web/package.json': '{"name":"web"}' } });
    world.tip(commit);
    await world.push(commit, { path: 'web' });
    await world.check(2);
    const next = world.missed(commit, { 'web/package.json': '{"name":"web"}' });
    await world.run(true);
    const found = (await world.entries()).filter(({ provider }) => provider === 'reconciled');
    expect(found.map(({ path, sha }) => [path ?? '', sha]).sort()).toEqual([
      ['', next.sha],
      ['web', next.sha],
    ]);
  });
});

describe('a commit whose webhook calls while it is being found', () => {
  /** The webhook calls between the look into the log and the write; its entry is the second, and the found one the third. */
  async function bothAtOnce({ atStart = false, files = {}, meanwhile = async () => {} }: Race = {}): Promise<void> {
    const commit = world.missed(first, files);
    const { overruledUntil } = world.log;
    world.log.overruledUntil = async (...args) => {
      world.log.overruledUntil = overruledUntil;
      await world.push(commit, { before: first.sha });
      await meanwhile();
      return overruledUntil.apply(world.log, args);
    };
    await world.run(atStart);
    expect((await world.entries()).map(({ provider }) => provider)).toEqual(['reconciled', 'github', 'github']);
  }
  interface Race {
    readonly atStart?: boolean;
    readonly files?: Record<string, string>;
    readonly meanwhile?: () => Promise<unknown>;
  }
  const naming = (number: number) => expect.stringMatching(new RegExp(` #${number}\\.$`));

  it.each([false, true])(
    'is deployed once, by its push, when that was checked before (at a start: %s)',
    async (atStart) => {
      await bothAtOnce({ atStart, meanwhile: () => world.check(2) });
      expect(await world.check(3)).toMatchObject({ status: 'skipped', reason: naming(2) });
      expect(await world.read(2)).toMatchObject({ status: 'running', stage: 'fetch' });
    },
  );

  it.each([false, true])(
    'is deployed once, by what was found, when that is checked first (at a start: %s)',
    async (atStart) => {
      await bothAtOnce({ atStart });
      expect(await world.check(3)).toMatchObject({ status: 'running', stage: 'fetch' });
      expect(await world.check(2)).toMatchObject({ status: 'skipped', reason: naming(3) });
    },
  );

  it('is deployed once when its push is checked after the other was written', async () => {
    await bothAtOnce();
    expect(await world.check(2)).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(await world.check(3)).toMatchObject({ status: 'skipped', reason: naming(2) });
  });

  it.each(['ok', 'error'] as const)('is deployed once when its push has ended as %s by then', async (status) => {
    await bothAtOnce({ meanwhile: () => world.check(2).then(() => world.finish(2, status)) });
    expect(await world.check(3)).toMatchObject({ status: 'skipped', reason: naming(2) });
  });

  it('waits for CI once', async () => {
    await bothAtOnce({ files: waitsForTravis, meanwhile: () => world.checkOnly(2) });
    expect(await world.checkOnly(3)).toMatchObject({ status: 'skipped', reason: naming(2) });
    expect(await world.read(2)).toMatchObject({ status: 'held' });
  });
});

describe('a commit that the log knows is not deployed again', () => {
  const ended: readonly Status[] = ['ok', 'crashed', 'error', 'expired', 'skipped', 'held', 'running'];
  it.each(ended)('when its entry is %s', async (status) => {
    const second = world.missed(first);
    const { number } = await world.push(second);
    await world.log.move('ann', number, () => ({ changes: { status, appName: 'shop' } }));
    await world.run();
    expect(await world.entries()).toHaveLength(2);
  });

  it.each([
    [
      'its push said [skip deploy]',
      ({ sha }: CommitRef) => append(world.log, { sha, status: 'skipped' }, { isNewestPush: false, isTip: true }),
    ],
    ['its passed build deploys it', (second: CommitRef) => world.build(second, passed).then(() => world.check(2))],
  ])('when %s', async (_what, brought) => {
    await brought(world.missed(first));
    await world.run();
    expect(await world.entries()).toHaveLength(2);
  });

  it('when an older commit was deployed by hand since, or the application was rolled back', async () => {
    const second = world.missed(first);
    await world.push(second);
    await world.check(2);
    await append(world.log, { sha: first.sha, provider: 'manual', forced: true });
    await world.check(3);
    await append(
      world.log,
      { provider: 'manual', operation: 'rollback', sha: first.sha, status: 'ok' },
      { isNewestPush: false, overrules: 'shop' },
    );
    await world.run();
    expect(await world.entries()).toHaveLength(4);
  });

  it('when what is live is an ancestor of it', async () => {
    const second = world.missed(first);
    await world.push(second, { before: first.sha });
    await world.log.move('ann', 2, () => ({ changes: { status: 'expired', appName: 'shop' } }));
    world.later();
    await world.run();
    expect(await world.entries()).toHaveLength(2);
  });
});

describe('a tip that the log knows, while what is live is not on the branch any more', () => {
  /** `second` is live, and the branch was moved back to `first` without a call. */
  async function strayed(patch: Patch = {}) {
    const second = world.missed(first);
    await world.push(second, { before: first.sha, ...patch });
    await world.check(2);
    await world.finish(2, 'ok');
    world.tip(first);
    world.later();
    return second;
  }

  it('is deployed again, once', async () => {
    await strayed();
    const { newest } = await world.run();
    expect(newest).toMatchObject({ provider: 'reconciled', sha: first.sha, status: 'queued' });
    expect(await world.check(3)).toMatchObject({ status: 'running', stage: 'fetch' });
    await world.run();
    expect(await world.entries()).toHaveLength(3);
  });

  it('is deployed also when the host has forgotten what is live', async () => {
    await strayed();
    world.host.failWith('compare', new DeployError('deploy:repohost:no_pkg_json', 'Not found.', { retry: false }));
    expect((await world.run()).newest).toMatchObject({ provider: 'reconciled', sha: first.sha });
  });

  const becomes = (status: Status) => () => world.log.move('ann', 1, () => ({ changes: { status } }));
  const operated = (operation: 'rollback' | 'stop') => () => {
    const patch = { provider: 'manual', operation, status: 'ok', sha: first.sha } as const;
    return append(world.log, patch, { isNewestPush: false, overrules: 'shop' });
  };
  const skipped = () =>
    append(world.log, { sha: first.sha, status: 'skipped' }, { isNewestPush: false, skip: '[skip deploy]' });

  it.each([
    ['when its own entry is error', becomes('error')],
    ['when its own entry is cancelled', becomes('cancelled')],
    ['when its own entry is held', becomes('held')],
    ['when its own entry is running', becomes('running')],
    ['when CI failed for it', () => world.build(first, failed)],
    ['when its push said [skip deploy]', skipped],
    ['after a rollback', operated('rollback')],
    ['after a stop', operated('stop')],
  ])('is not %s', async (_what, happens) => {
    await strayed();
    await happens();
    const before = await world.entries();
    await world.run();
    expect(await world.entries()).toHaveLength(before.length);
  });

  it.each([
    ['when a person has deployed what is live', () => ({ provider: 'manual' })],
    ['at once: what the host says may be older', () => ({ receivedAt: world.clock.now() + 60 * MINUTE })],
  ])('is not %s', async (_what, patch) => {
    await strayed(patch());
    await world.run();
    expect(await world.entries()).toHaveLength(2);
  });
});

it('A tip whose push came late is deployed once, when the branch had been moved back by then and has come back to it', async () => {
  const { sha } = world.missed(first);
  await append(world.log, { sha, status: 'superseded', receivedAt: world.clock.now() });
  await world.run();
  expect(await world.entries()).toHaveLength(2);
  world.later();
  expect((await world.run()).newest).toMatchObject({ provider: 'reconciled', sha, status: 'queued' });
  await world.run();
  expect(await world.entries()).toHaveLength(3);
});

describe('after a rollback or a stop', () => {
  it('is deployed when a newer commit has been deployed since', async () => {
    await world.run();
    await overrule('rollback');
    const second = world.missed(first);
    await world.push(second, { before: first.sha });
    await world.check((await world.entries()).length);
    const third = world.missed(second);
    world.later();
    expect((await world.run()).newest).toMatchObject({ provider: 'reconciled', sha: third.sha, status: 'queued' });
  });

  const overrule = (operation: 'rollback' | 'stop') =>
    append(
      world.log,
      { provider: 'manual', operation, status: 'ok', sha: first.sha, receivedAt: world.clock.now() },
      { isNewestPush: false, overrules: 'shop' },
    );

  it.each(['rollback', 'stop'] as const)(
    'a %s is not undone by a commit that may be older than it',
    async (operation) => {
      await world.run();
      world.missed(first);
      world.clock.pass(MINUTE);
      await overrule(operation);
      world.later();
      const { newest } = await world.run();
      expect(newest).toMatchObject({
        provider: 'reconciled',
        status: 'skipped',
        reason: expect.stringContaining('hooks deploy'),
      });
      expect(world.queue.sent.filter(({ number }) => number === newest.number)).toEqual([]);
    },
  );

  it('a commit that came later is deployed', async () => {
    await overrule('rollback');
    world.clock.pass(MINUTE);
    await world.run(true);
    world.missed(first);
    world.later();
    expect((await world.run()).newest).toMatchObject({ provider: 'reconciled', status: 'queued' });
  });
});

describe('the order', () => {
  it('is that of the commits: a newer push that arrives meanwhile is not overtaken', async () => {
    const second = world.missed(first);
    await world.run();
    const third = world.commit(second);
    await world.push(third, { before: second.sha });
    await world.check(2);
    expect(await world.check(3)).toMatchObject({ status: 'running', sha: third.sha });
    expect(await world.read(2)).toMatchObject({ status: 'superseded' });
  });

  it('holds also when the tip was read before that push, and its entry made after it', async () => {
    const second = world.missed(first);
    const third = world.commit(second);
    await world.push(third, { before: second.sha });
    await world.check(2);
    world.tip(second);
    await world.run();
    world.tip(third);
    expect(await world.check(3)).toMatchObject({ status: 'superseded', provider: 'reconciled' });
  });

  it('lets the webhook of a commit that was found first end without a second deploy', async () => {
    const second = world.missed(first);
    await world.run();
    await world.check(2);
    await world.push(second, { before: first.sha });
    expect(await world.check(3)).toMatchObject({
      status: 'skipped',
      reason: 'The commit was found before its webhook called; it is deployed by #2.',
    });
  });

  it('lets it wait for the same CI', async () => {
    const second = world.missed(first, waitsForTravis);
    await world.run();
    await world.checkOnly(2);
    await world.push(second, { before: first.sha });
    expect(await world.checkOnly(3)).toMatchObject({
      status: 'skipped',
      reason: expect.stringContaining('waits for CI'),
    });
  });

  it('lets a redeploy by hand deploy it again', async () => {
    const second = world.missed(first);
    await world.run();
    await world.check(2);
    await world.finish(2, 'ok');
    await append(world.log, { sha: second.sha, provider: 'manual', forced: true });
    expect(await world.check(3)).toMatchObject({ status: 'running', stage: 'fetch' });
  });
});

describe('the schedule', () => {
  it('compares an application once in its time, and all of them when asked for everything', async () => {
    expect((await world.run()).looked).toBe(1);
    expect((await world.run()).looked).toBe(0);
    expect((await world.run(true)).looked).toBe(1);
    world.clock.pass(60 * MINUTE - 1);
    expect((await world.run()).looked).toBe(0);
    world.clock.pass(1);
    expect((await world.run()).looked).toBe(1);
  });

  it('compares none with 0 minutes', async () => {
    world.missed(first);
    expect(await reconcile({ ...world.ports, minutes: 0 }, true)).toBe(0);
    expect(await world.entries()).toHaveLength(1);
  });

  it.each([
    ['does not answer', new DeployError('deploy:repohost:no_pkg_json', 'down', { retry: true })],
    ['does not show the repository', new DeployError('deploy:repohost:no_pkg_json', 'Not Found', { retry: false })],
    ['is not configured', new Error('unknown')],
  ])('says in the log, and nowhere else, that a host %s, and asks again after the same time', async (_, error) => {
    world.missed(first);
    world.host.failWith('tip', error as DeployError);
    await world.run();
    expect(world.traced).toMatchObject([{ event: 'not compared', user: 'ann', app: 'shop', error }]);
    expect(await world.entries()).toHaveLength(1);
    expect((await world.run()).looked).toBe(0);
    world.host.failWith('tip', null);
    world.later();
    expect((await world.run()).newest.provider).toBe('reconciled');
  });

  it('asks a host that limits its requests only after its pause, also for other applications', async () => {
    await world.log.ownApp('ann', 'api', { ...first, branch: 'master' });
    const pause = new DeployError('deploy:repohost:no_pkg_json', 'limit', { retry: true, retryAfter: 7200 });
    let calls = 0;
    const tip = async () => {
      calls += 1;
      throw pause;
    };
    const run = (everything: boolean) =>
      reconcile({ ...world.ports, host: () => ({ ...world.host, tip }) }, everything);
    const apps = await world.log.toCompare(world.clock.now(), 10);
    expect(apps).toHaveLength(2);
    // One at a time, as two that are asked at the same moment both meet the limit.
    await run(false);
    expect(calls).toBeLessThanOrEqual(2);
    world.clock.pass(119 * MINUTE);
    expect(await run(false)).toBe(0);
    world.clock.pass(MINUTE);
    expect(await run(false)).toBe(2);
  });

  it('says in the log that a branch was deleted', async () => {
    await world.log.followBranch('ann', 'shop', 'gone');
    await world.run();
    expect(world.traced).toMatchObject([
      { event: 'nothing to compare with', reason: 'ann/shop has no branch gone any more.' },
    ]);
    expect(await world.entries()).toHaveLength(1);
  });

  it('forgets an application that was removed', async () => {
    world.missed(first);
    await world.log.freeApp('ann', 'shop');
    expect((await world.run(true)).looked).toBe(0);
    await world.log.compared({ user: 'ann', app: 'shop' }, { dueAt: AT });
    expect((await world.run(true)).looked).toBe(0);
  });

  it('keeps the branch of the pushes when another one is deployed by hand', async () => {
    const other = world.commit(first);
    await append(world.log, { sha: other.sha, branch: 'feature', provider: 'manual', forced: true });
    await world.check(2);
    expect(await world.log.tracked({ user: 'ann', app: 'shop' })).toMatchObject({ branch: 'master' });
  });
});
