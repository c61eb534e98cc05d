import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type EngineWorld, startEngineWorld } from '../../../faults/world/engine-world.ts';
import type { Fault } from '../../../faults/world/faults.ts';
import { commitTo, type FakeCommit, type FakeRepository } from '../../../faults/world/host.ts';
import { pushOf } from '../../../faults/world/push.ts';
import { testFolder } from '../../../support/service/place.ts';

let world: EngineWorld;
afterEach(() => world.close());

async function push(repository: FakeRepository, commit: FakeCommit): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': commit.sha };
  const body = pushOf(world.host, repository, commit);
  const query = { branch: 'main', ci: 'ignore' };
  const call = { endpoint: 'api-deploy', resource: '/1/deploy', user: 'ann', headers, body, query };
  expect(await world.post(call)).toMatchObject({ status: 202 });
}

it('a push is not held up by an older one of its repository that backs off, and that one ends superseded', async () => {
  // The host fails the first request, which is one of the older push.
  const faults: Fault[] = ['fails'];
  world = await startEngineWorld(join(testFolder, `order-${process.pid}`), (service) =>
    service === 'host' ? (faults.shift() ?? null) : null,
  );
  const shop = world.host.repository('ann', 'shop');
  const [older, newer] = [commitTo(shop, '1.0.0'), commitTo(shop, '1.0.1')];
  const entries = async () => (await world.logOf('ann')).entries;
  await push(shop, older);
  await expect.poll(async () => (await entries())[0]?.reason).toMatch(/the next try is at/);
  await push(shop, newer);
  await expect.poll(async () => (await entries())[1]?.status).toBe('ok');
  expect((await entries())[0]?.status).not.toBe('ok');
  await expect.poll(async () => (await entries())[0]?.status).toBe('superseded');
  expect(world.platform.activations.map(({ snapshot }) => snapshot)).toEqual(['1.0.1-2']);
});

it('a deploy whose end could not be written ends when the log can be written again', async () => {
  world = await startEngineWorld(join(testFolder, `unwritten-${process.pid}`));
  const { connection } = world;
  connection.run(`CREATE TRIGGER full BEFORE UPDATE OF status ON entries WHEN new.status = 'ok'
    BEGIN SELECT RAISE(ABORT, 'The disk is full.'); END`);
  const shop = world.host.repository('ann', 'shop');
  await push(shop, commitTo(shop, '1.0.0'));
  await expect.poll(() => world.platform.activations).toHaveLength(1);
  const status = async () => (await world.logOf('ann')).entries[0]?.status;
  expect(await status()).toBe('running');
  connection.run('DROP TRIGGER full');
  await expect.poll(status).toBe('ok');
});
