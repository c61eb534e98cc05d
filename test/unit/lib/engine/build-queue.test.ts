import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Activation, SnapshotRef } from '../../../../functions/core/ports/platform.ts';
import { buildQueue } from '../../../../lib/engine/build-queue.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { type EngineWorld, startEngineWorld } from '../../../faults/world/engine-world.ts';
import { commitTo } from '../../../faults/world/host.ts';
import { pushOf } from '../../../faults/world/push.ts';
import { AT, append, checked } from '../../../support/entries.ts';
import { testFolder } from '../../../support/service/place.ts';

describe('A build that waits', () => {
  const log = memoryLog();
  const tell = buildQueue({ log, clock: { now: () => AT }, trace: () => {} });
  const builds = Array.from({ length: 20 }, (_, index) => ({ user: 'ann', number: index + 1 }));
  const reason = async (number: number) => (await log.read('ann', number))?.reason;

  it('says for what, and how many are before it', async () => {
    for (const _ of builds) await append(log, { ...checked, stage: 'extract' });
    tell(builds, 4);
    await expect
      .poll(() => reason(20))
      .toBe('Waits for one of the 4 builds that run to end; 19 other builds are before it.');
    expect(await reason(2)).toBe('Waits for one of the 4 builds that run to end; 1 other build is before it.');
    expect(await reason(1)).toBe('Waits for one of the 4 builds that run to end; it is the next one.');
  });

  it('says it again when half of them are left, and the last ones each', async () => {
    const before = await log.last('ann');
    for (let ended = 1; ended < builds.length; ended += 1) tell(builds.slice(ended), 4);
    await expect.poll(() => reason(20)).toMatch('it is the next one');
    const said = (await log.changes('ann', before, 1_000)).filter(({ number }) => number === 20);
    expect(said.map((one) => /(\d+) other/.exec(one.reason ?? '')?.[1])).toEqual(['9', '4', '3', '2', '1', undefined]);
  });

  it('that has begun meanwhile says nothing', async () => {
    const { number } = await append(log, { ...checked, stage: 'extract' });
    await log.claim({ user: 'ann', number, stage: 'extract', now: AT, leaseUntil: AT + 1, dueAt: AT + 1 });
    const last = await log.last('ann');
    tell([{ user: 'ann', number }], 4);
    // Writes are made in their order.
    await log.move('ann', 1, () => ({ changes: { reason: 'later' } }));
    expect(await log.last('ann')).toBe(last + 1);
  });
});

describe('A push beside forty slow builds of another user', () => {
  let world: EngineWorld;
  /** By application: ends its build. */
  const ends = new Map<string, () => void>();
  const built = new Map<string, Promise<void>>();
  const begin = (app: string) => {
    const ended = new Promise<void>((resolve) => ends.set(app, resolve));
    built.set(app, ended);
    return ended;
  };
  beforeEach(async () => {
    world = await startEngineWorld(join(testFolder, `turns-${process.pid}`));
    const poll = world.platform.memory.poll.bind(world.platform.memory);
    vi.spyOn(world.platform.memory, 'poll').mockImplementation(async (ref: SnapshotRef): Promise<Activation> => {
      if (ref.user === 'bob') await (built.get(ref.app) ?? begin(ref.app));
      return poll(ref);
    });
  });
  afterEach(() => world.close());

  const push = async (user: string, name: string) => {
    const repository = world.host.repository(user, name);
    const commit = commitTo(repository, '1.0.0');
    const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': commit.sha };
    const query = { branch: 'main', ci: 'ignore' };
    const body = pushOf(world.host, repository, commit);
    const call = { endpoint: 'api-deploy', resource: '/1/deploy', user, headers, body, query };
    expect(await world.post(call)).toMatchObject({ status: 202 });
  };

  it('is live when one of them has ended', async () => {
    for (let app = 1; app <= 40; app += 1) await push('bob', `app-${app}`);
    const waiting = async () => (await world.logOf('bob')).entries.filter(({ reason }) => reason !== null).length;
    await expect.poll(async () => ends.size + (await waiting())).toBe(40);
    await push('ann', 'shop');
    const ofAnn = async () => (await world.logOf('ann')).entries[0];
    await expect.poll(async () => (await ofAnn())?.reason).toMatch(/it is the next one/);

    [...ends.values()][0]?.();

    await expect.poll(async () => (await ofAnn())?.status, { timeout: 5_000 }).toBe('ok');
    expect((await ofAnn())?.reason).toBeNull();
    for (const end of ends.values()) end();
  });
});
