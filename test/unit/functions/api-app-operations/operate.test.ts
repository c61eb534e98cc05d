import { beforeEach, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../../functions/api/http.ts';
import type { Entry } from '../../../../functions/core/entry/entry.ts';
import { UnconfirmedWrite } from '../../../../functions/core/pipeline/store-entry.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(() => {
  world = appsWorld();
});

const idIn = (body: { id: string }) => body.id.split('/').at(-1);

function post(operation: string, application = 'shop', patch: Partial<HttpRequest> = {}) {
  const params = { user: 'ann', application };
  return world.ask('POST', `/1/apps/{user}/{application}/${operation}`, { params, ...patch });
}

const remove = () =>
  world.ask('DELETE', '/1/apps/{user}/{application}', { params: { user: 'ann', application: 'shop' } });

async function latest(): Promise<Entry> {
  const { entries } = await world.log.page({ user: 'ann', app: null, skip: 0, limit: 1 });
  const [entry] = entries;
  if (!entry) throw new Error('The log is empty.');
  return entry;
}

describe('POST /1/apps/<user>/<application>/restart, /stop and DELETE', () => {
  it.each(['restart', 'stop', 'remove'])(
    '%s is answered with the entry that records it, which is queued for start',
    async (name) => {
      await world.deployed('shop');
      const { status, headers, body } = await (name === 'remove' ? remove() : post(name));
      expect(status).toBe(202);
      expect(headers?.location).toBe(body.id);
      expect(body).toMatchObject({ app_name: 'shop', status: 'queued', provider: 'manual', operation: name });
      expect(body.commit).toMatch(/^ann\/shop\/a{40}$/);
      expect(world.queue.sent).toEqual([{ user: 'ann', number: 2, stage: 'start', group: 'ann/shop' }]);
    },
  );

  it('an application that was never started can be removed, and neither restarted nor stopped', async () => {
    await world.failed('shop');
    for (const name of ['restart', 'stop']) {
      await expect(post(name)).rejects.toMatchObject({
        code: 'status:db:not_found',
        detail: expect.stringMatching(/not been deployed.*redeploy/),
      });
    }
    const { body } = await remove();
    expect(body).toMatchObject({ operation: 'remove', commit: expect.stringMatching(/^ann\/shop\//) });
  });

  it('stop, removal and rollback overrule the deploys before them, and a restart does not', async () => {
    await world.deployed('@ann/shop');
    await post('restart', 'ann-shop');
    expect(await world.log.overruledUntil('ann', 'ann-shop')).toBe(0);
    await post('stop', '@ann/shop');
    expect(await world.log.overruledUntil('ann', 'ann-shop')).toBe(3);
  });

  it.each(['restart', 'stop', 'rollback', 'redeploy'])('%s of an unknown application is not found', async (name) => {
    await expect(post(name, 'nothing')).rejects.toMatchObject({ code: 'status:db:not_found' });
    expect(world.queue.sent).toEqual([]);
  });

  it('nothing is queued when the log does not take the entry', async () => {
    await world.deployed('shop');
    world.log.append = () => Promise.reject(new Error('down'));
    await expect(post('restart')).rejects.toMatchObject({ code: 'deploy:db:failed_to_store_payload' });
    expect(world.queue.sent).toEqual([]);
  });

  it('goes on when it is in the log but not known to be on the disk, which the answer says', async () => {
    await world.deployed('shop');
    const { append } = world.log;
    world.log.append = async (request) => {
      throw new UnconfirmedWrite(await append.call(world.log, request), new Error('EIO: i/o error, fdatasync'));
    };
    await expect(post('restart')).rejects.toMatchObject({
      code: 'deploy:db:failed_to_store_payload',
      detail: expect.stringContaining('It is not known whether the request was stored'),
    });
    expect(world.queue.sent).toHaveLength(1);
  });

  it('waits for the outcome with Prefer: wait', async () => {
    await world.deployed('shop');
    world.queue.send = async ({ user, number }) => {
      const error = { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' } as const;
      await world.log.move(user, number, () => ({ changes: { status: 'error', error } }));
    };
    const answer = await post('restart', 'shop', { headers: { prefer: 'wait=5' } });
    expect(answer).toMatchObject({ status: 500, body: { code: 'deploy:platform:start_app' } });
    expect(answer.headers?.['preference-applied']).toBe('wait=5');
  });
});

describe('POST /1/apps/<user>/<application>/rollback', () => {
  it('starts the snapshot of the deploy before at the stage extract, without the repository host', async () => {
    const first = await world.deployed('shop');
    await world.deployed('shop');
    const { body } = await post('rollback');
    expect(body).toMatchObject({ operation: 'rollback', commit: expect.stringMatching(/^ann\/shop\/a/) });
    expect(await latest()).toMatchObject({ snapshot: first.snapshot, stage: 'extract', appName: 'shop', order: 5 });
    expect(world.queue.sent).toMatchObject([{ number: 3, stage: 'extract' }]);
  });

  it('goes to the deploy that the parameter names, by id, by address, or by a rollback to it', async () => {
    const first = await world.deployed('shop');
    const second = await world.deployed('shop');
    await world.deployed('shop');
    await post('rollback', 'shop', { query: { to: first.id } });
    expect(await latest()).toMatchObject({ snapshot: first.snapshot });
    await post('rollback', 'shop', { query: { to: `https://hooks.example.com/1/status/ann/changes/${second.id}` } });
    expect(await latest()).toMatchObject({ snapshot: second.snapshot });
    const { id } = await latest();
    await post('rollback', 'shop', { query: { to: id } });
    expect(await latest()).toMatchObject({ snapshot: second.snapshot });
  });

  it('goes one further back after a rollback', async () => {
    const first = await world.deployed('shop');
    const second = await world.deployed('shop');
    await world.deployed('shop');
    await post('rollback');
    await world.platform.start({ user: 'ann', app: 'shop', snapshot: second.snapshot ?? '' });
    await post('rollback');
    expect(await latest()).toMatchObject({ snapshot: first.snapshot });
  });

  it('is not found when there is nothing to go back to', async () => {
    await world.failed('shop');
    await world.deployed('shop');
    await expect(post('rollback')).rejects.toMatchObject({
      code: 'status:db:not_found',
      detail: expect.stringMatching(/no earlier/),
    });
  });

  it('says what is wrong with the entry that it is to go to', async () => {
    const gone = await world.deployed('shop');
    const failed = await world.failed('shop');
    const other = await world.deployed('cart');
    await world.deployed('shop');
    world.forgetSnapshot('shop', gone.snapshot ?? '');
    const cases = [
      [gone.id, 'request:bad_parameter', /ref=a{40}/],
      [failed.id, 'request:bad_parameter', /not deploy/],
      [other.id, 'request:bad_parameter', /not one of shop/],
      [`${'0'.repeat(20)}000000000001`, 'status:db:not_found', /no such entry/],
      ['yesterday', 'status:db:not_found', /no such entry/],
    ] as const;
    for (const [to, code, detail] of cases) {
      const refused = { code, detail: expect.stringMatching(detail) };
      await expect(post('rollback', 'shop', { query: { to } })).rejects.toMatchObject(refused);
    }
    expect(world.queue.sent).toEqual([]);
  });
});

describe('POST /1/apps/<user>/<application>/redeploy', () => {
  it('deploys the commit of the newest deploy again, from the first stage and without waiting for CI', async () => {
    await world.deployed('shop');
    const { status, body } = await post('redeploy');
    expect(status).toBe(202);
    expect(body).toMatchObject({
      provider: 'manual',
      status: 'queued',
      commit: expect.stringMatching(/^ann\/shop\/a/),
    });
    expect(body.operation).toBeUndefined();
    const made = await latest();
    expect(idIn(body)).toBe(made.id);
    expect(made).toMatchObject({
      stage: 'check',
      branch: 'master',
      ci: { waits: false },
      snapshot: null,
    });
    expect(world.queue.sent).toMatchObject([{ stage: 'check' }]);
  });

  it('has nothing of earlier builds reused when it is asked for', async () => {
    await world.deployed('shop');
    await post('redeploy');
    expect((await latest()).clean).toBeUndefined();
    await post('redeploy', 'shop', { query: { clean: 'true' } });
    expect(await latest()).toMatchObject({ stage: 'check', clean: true });
    await expect(post('redeploy', 'shop', { query: { clean: 'all' } })).rejects.toMatchObject({
      code: 'request:bad_parameter',
    });
  });

  it('repeats a deploy that failed, also of an application that the platform has never seen', async () => {
    await world.failed('shop');
    world.platform.write({ user: 'ann', app: 'shop' }, null);
    expect((await post('redeploy')).status).toBe(202);
  });

  it('repeats no deploy of another repository, which was refused because the name belongs to this one', async () => {
    await world.log.ownApp('ann', 'shop', { host: 'memory', owner: 'ann', name: 'shop' });
    const own = await world.deployed('shop');
    const foreign = { host: 'memory', owner: 'bob', name: 'fork', url: null, private: false };
    const { number } = await world.failed('shop');
    await world.log.move('ann', number, () => ({ changes: { repository: foreign } }));
    await post('redeploy');
    expect(await latest()).toMatchObject({ repository: own.repository, stage: 'check' });
  });

  it('does not repeat an operation', async () => {
    await world.deployed('shop');
    await post('stop');
    await post('redeploy');
    expect(await latest()).toMatchObject({ stage: 'check', sha: 'a'.repeat(40) });
    expect((await latest()).operation).toBeUndefined();
  });
});

describe('POST /1/apps/<user>/<application>/rename', () => {
  const rename = (body: unknown, application = 'shop') =>
    post('rename', application, { body: Buffer.from(JSON.stringify(body)) });

  it('is recorded with what runs, under the new name; the deploys before it end', async () => {
    const { number } = await world.deployed('shop');
    const built = { manifest: { name: 'shop' }, found: { start: 'node .' } };
    const active = await world.log.move('ann', number, () => ({ changes: built }));
    expect((await rename({ name: '@ann/store' })).status).toBe(202);
    const { repository, sha, snapshot } = active ?? {};
    const renaming = { operation: 'rename', appName: '@ann/store', formerName: 'shop', stage: 'start' };
    expect(await latest()).toMatchObject({ ...renaming, ...built, repository, sha, snapshot });
    expect(await world.log.overruledUntil('ann', 'shop')).toBe((await latest()).number);
  });

  it('is refused for a name that is taken, by an application or for the first deploy of one', async () => {
    await world.deployed('shop');
    await world.deployed('blog');
    await world.log.ownApp('ann', 'store', { host: 'memory', owner: 'ann', name: 'store' });
    for (const name of ['blog', 'store', 'shop']) {
      await expect(rename({ name })).rejects.toMatchObject({ code: 'request:conflict' });
    }
  });

  it.each([{}, { name: 7 }, { name: '' }, { name: 'no name' }])('is refused with %j', async (body) => {
    await world.deployed('shop');
    await expect(rename(body)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('is refused of a preview, of what there is not, and where names stay', async () => {
    const owner = { host: 'memory', owner: 'ann', name: 'shop', pullRequest: { number: 7 } };
    await world.deployed('shop-pr-7');
    await world.log.ownApp('ann', 'shop-pr-7', owner);
    await expect(rename({ name: 'store' }, 'shop-pr-7')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    await expect(rename({ name: 'store' }, 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
    Object.assign(world.ports.applications, { canRename: 'It keeps its name.' });
    const refused = { code: 'request:not_supported', detail: 'It keeps its name.' };
    await expect(rename({ name: 'store' })).rejects.toMatchObject(refused);
  });
});
