import { beforeEach, describe, expect, it } from 'vitest';
import type { CommitRef } from '../../../../functions/core/payload/delivery.ts';
import { jobOf } from '../../../../functions/core/pipeline/job.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { append } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';
import { appEndpoints, appsPorts } from '../../../support/worlds/apps-world.ts';
import { pipelineWorld, rolesInMemory } from '../../../support/worlds/pipeline-world.ts';

const manifest = JSON.stringify({ name: 'shop', version: '1.0.0' });
const shop = { user: 'ann', app: 'shop' };

/** The endpoints of applications and the pipeline behind them, on one log and one platform. */
function worldOf() {
  const log = memoryLog();
  const pipeline = pipelineWorld(rolesInMemory(log));
  const { platform, queue, clock, host } = pipeline;
  const endpoints = appEndpoints(appsPorts({ log, platform, queue, host, clock }));
  return { ...pipeline, log, endpoints };
}

let world: ReturnType<typeof worldOf>;
let tip: CommitRef | null;

beforeEach(() => {
  world = worldOf();
  tip = null;
});

/** Pushes a commit, which is accepted and waits in the first queue. */
async function push() {
  const before = tip;
  tip = world.host.commit({
    owner: 'ann',
    name: 'shop',
    files: { 'package.json': manifest, 'a.txt': String(Math.random()) },
    ...(before && { parent: before }),
  });
  world.host.branch(tip, 'master');
  const now = world.clock.now();
  const patch = { user: 'ann', sha: tip.sha, before: before?.sha ?? null, receivedAt: now, updatedAt: now };
  const entry = await append(world.log, patch, { isTip: true });
  await world.queue.send(jobOf(entry));
  return entry;
}

async function deployed() {
  const entry = await push();
  await world.drain();
  return entry;
}

async function operate(operation: string) {
  const [method, resource] = operation === 'remove' ? ['DELETE', ''] : ['POST', `/${operation}`];
  const params = { user: 'ann', application: 'shop' };
  await world.endpoints(request({ method, resource: `/1/apps/{user}/{application}${resource}`, params }));
}

/** Receives the oldest message until it is done. */
async function step() {
  const job = world.queue.sent.shift();
  if (!job) throw new Error('No message is left.');
  while (!(await world.deliver(job)));
}

async function statuses() {
  const { entries } = await world.log.page({ user: 'ann', app: null, skip: 0, limit: 100 });
  return entries.map(({ status, operation = 'deploy' }) => `${operation} ${status}`).reverse();
}

describe('operations in the pipeline', () => {
  it('a rollback starts the snapshot before with the repository host down, and reports on its commit', async () => {
    const first = await deployed();
    await deployed();
    world.host.tarball = () => Promise.reject(new Error('The host is down.'));
    world.host.file = () => Promise.reject(new Error('The host is down.'));
    world.queue.reports.length = 0;
    await operate('rollback');
    await world.drain();
    expect(world.started).toEqual(['1.0.0-1', '1.0.0-2', '1.0.0-1']);
    expect(await statuses()).toEqual(['deploy ok', 'deploy ok', 'rollback ok']);
    expect(await world.log.read('ann', 3)).toMatchObject({ sha: first.sha, url: 'https://shop.ann.example.com' });
    expect(await world.log.named('ann', 'shop')).toMatchObject({ name: 'shop', active: 3 });
    expect(world.queue.reports).toContainEqual({ user: 'ann', number: 3 });
  });

  it.each([
    ['check', 0],
    ['fetch', 1],
    ['upload', 2],
    ['extract', 3],
    ['start', 4],
  ])('a rollback is not overtaken by a push that is at %s', async (_stage, steps) => {
    await deployed();
    await deployed();
    await push();
    for (let taken = 0; taken < steps; taken += 1) await step();
    await operate('rollback');
    // The rollback's message is received first, as it may be: its queues are shorter.
    world.queue.sent.reverse();
    await world.drain();
    expect(await statuses()).toEqual(['deploy ok', 'deploy ok', 'deploy superseded', 'rollback ok']);
    expect(world.platform.app(shop)?.serving).toBe('1.0.0-1');
  });

  it('a push after a rollback is deployed', async () => {
    await deployed();
    await deployed();
    await operate('rollback');
    await push();
    await world.drain();
    expect(await statuses()).toEqual(['deploy ok', 'deploy ok', 'rollback ok', 'deploy ok']);
    expect(world.platform.app(shop)?.serving).toBe('1.0.0-4');
  });

  it('a push after a rollback that is started before it wins', async () => {
    await deployed();
    await deployed();
    await operate('rollback');
    const [rollback] = world.queue.sent.splice(0);
    await deployed();
    if (rollback) world.queue.sent.push(rollback);
    await world.drain();
    expect(await statuses()).toEqual(['deploy ok', 'deploy ok', 'rollback superseded', 'deploy ok']);
    expect(world.platform.app(shop)?.serving).toBe('1.0.0-4');
  });

  it('a stopped application stays stopped while an older push is under way, and a later push starts it', async () => {
    await deployed();
    await push();
    await step();
    await operate('stop');
    await world.drain();
    expect(world.platform.app(shop)?.state).toBe('stopped');
    await deployed();
    expect(world.platform.app(shop)).toMatchObject({ state: 'running', serving: '1.0.0-4' });
    expect(await statuses()).toEqual(['deploy ok', 'deploy superseded', 'stop ok', 'deploy ok']);
  });

  it('a restart lets the deploys under way go on', async () => {
    await deployed();
    await push();
    await step();
    await operate('restart');
    await world.drain();
    expect(await statuses()).toEqual(['deploy ok', 'deploy ok', 'restart ok']);
  });

  it.each([0, 1, 2, 3, 4])('a removed application is not made again by a push that was %i stages on', async (steps) => {
    await deployed();
    await push();
    for (let taken = 0; taken < steps; taken += 1) await step();
    await operate('remove');
    world.queue.sent.reverse();
    await world.drain();
    expect(world.platform.app(shop)).toBeUndefined();
    expect(await statuses()).toEqual(['deploy ok', 'deploy superseded', 'remove ok']);
    expect(await world.log.named('ann', 'shop')).toMatchObject({ name: 'shop', active: null, entries: 3 });
    expect(await world.log.badge('ann', 'shop')).toBe('ok');
    await deployed();
    expect(world.platform.app(shop)).toMatchObject({ serving: '1.0.0-4', state: 'running' });
  });

  it('a redeploy deploys the same commit as a new entry, also after a rollback', async () => {
    await deployed();
    await deployed();
    await operate('rollback');
    await world.drain();
    await operate('redeploy');
    await world.drain();
    expect(world.platform.app(shop)?.serving).toBe('1.0.0-4');
    const [first, again] = [await world.log.read('ann', 1), await world.log.read('ann', 4)];
    expect(again).toMatchObject({ status: 'ok', sha: first?.sha });
  });

  it('an operation that keeps failing ends with its error, and the application runs on', async () => {
    await deployed();
    await operate('restart');
    world.platform.write(shop, { snapshots: {} });
    await world.drain();
    expect(await world.log.read('ann', 2)).toMatchObject({
      status: 'error',
      error: { code: 'deploy:platform:start_app' },
    });
    expect(world.platform.app(shop)?.state).toBe('running');
  });
});
