import { describe, expect, it } from 'vitest';
import { type EntryPorts, entry } from '../../../../functions/api-entry/entry.ts';
import { runStage } from '../../../../functions/core/pipeline/stage.ts';
import type { StageWork } from '../../../../functions/core/pipeline/stage-work.ts';
import { AT, append, checked, MINUTE, type Patch } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';
import { checkWorld, failed, manifest, passed, waitsForTravis } from '../../../support/worlds/check-world.ts';

/** A push that is held for Travis CI, and the endpoint. */
async function world() {
  const at = checkWorld();
  const head = at.commit(null, { 'package.json': manifest, ...waitsForTravis });
  const { id } = await at.push(head);
  await at.check(1);
  return { ...at, head, id, post: (of = id, token?: string) => post(at, 'release', of, token) };
}

function post(ports: EntryPorts, verb: string, id: string, token?: string) {
  const resource = `/1/status/{user}/changes/{id}/${verb}`;
  const by = token === undefined ? {} : { token: { name: token } };
  return entry(ports)(request({ method: 'POST', resource, params: { user: 'ann', id }, ...by }));
}

describe('GET /1/status/<user>/changes/<id>', () => {
  /** A log with an entry of each of two users, and the endpoint. */
  async function logged() {
    const at = checkWorld();
    const mine = await append(at.log);
    const theirs = await append(at.log, { user: 'bob' });
    return { ...at, mine, theirs, get: (id: string, query: Record<string, string> = {}) => get(at, id, query) };
  }

  function get(ports: EntryPorts, id: string, query: Record<string, string> = {}) {
    const resource = '/1/status/{user}/changes/{id}';
    return entry(ports)(request({ resource, params: { user: 'ann', id }, query }));
  }

  it('returns the entry with that id', async () => {
    const { mine, get } = await logged();
    const id = `https://hooks.example.com/1/status/ann/changes/${mine.id}`;
    expect(await get(mine.id)).toMatchObject({ status: 200, body: { id, status: 'queued', seq: 1 } });
  });

  it('includes the document with include_docs', async () => {
    const { mine, get } = await logged();
    expect((await get(mine.id, { include_docs: 'true' })).body).toMatchObject({ doc: { branch: 'master' } });
    expect((await get(mine.id)).body).not.toHaveProperty('doc');
  });

  it('is status:db:not_found for the id of another user’s entry with the same number', async () => {
    const { theirs, get } = await logged();
    await expect(get(theirs.id)).rejects.toMatchObject({ code: 'status:db:not_found', status: 404 });
  });

  it.each(['', 'x', '1', `${'0'.repeat(20)}000000000001`, `${'0'.repeat(20)}000000000099`, `${'0'.repeat(32)}`])(
    'is status:db:not_found for %j, because the whole id is compared',
    async (id) => {
      const { get } = await logged();
      await expect(get(id)).rejects.toMatchObject({ code: 'status:db:not_found' });
    },
  );

  it('forbids caching, because an entry changes', async () => {
    const { mine, get } = await logged();
    expect((await get(mine.id)).headers).toMatchObject({ 'cache-control': 'no-cache' });
  });

  it('is status:db:get_by_id when the database fails', async () => {
    const { mine, log, ...ports } = await logged();
    const failing = { ...log, read: async () => Promise.reject(new Error('away')) };
    const failure = get({ ...ports, log: failing }, mine.id);
    await expect(failure).rejects.toMatchObject({ code: 'status:db:get_by_id', status: 500 });
  });
});

describe('POST /1/status/<user>/changes/<id>/release', () => {
  it('lets a held deploy go, without its CI', async () => {
    const { id, post, check, facts, head } = await world();
    const answer = await post();
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `https://hooks.example.com/1/status/ann/changes/${id}` },
      body: { status: 'running', reason: null },
    });
    const entry = await check(1);
    expect(entry).toMatchObject({ status: 'running', stage: 'fetch' });
    expect(entry.stages[0]?.detail).toContain('It was released by hand: it did not wait for CI');
    expect(await facts.commitState('ann', head, 'master')).toMatchObject({ held: null, deploying: 1 });
  });

  it('names the API token by which it was released, in place of that of the call', async () => {
    const { id, post, log } = await world();
    await log.move('ann', 1, () => ({ changes: { token: 'github' } }));
    expect((await post(id, 'laptop')).status).toBe(202);
    expect(await log.read('ann', 1)).toMatchObject({ token: 'laptop' });
    await post(id, 'later');
    expect(await log.read('ann', 1)).toMatchObject({ token: 'laptop' });
  });

  it('keeps the token of the call when the password has released it', async () => {
    const { post, log } = await world();
    await log.move('ann', 1, () => ({ changes: { token: 'github' } }));
    expect((await post()).status).toBe(202);
    expect(await log.read('ann', 1)).toMatchObject({ token: 'github' });
  });

  it('does so once: the second answer is the entry as it is', async () => {
    const { post, queue } = await world();
    await post();
    expect(await post()).toMatchObject({ status: 200, body: { status: 'running' } });
    expect(queue.sent.filter(({ stage }) => stage === 'check')).toHaveLength(1);
  });

  it('changes nothing for an entry that is not held', async () => {
    const { post, log, build, head, check } = await world();
    await build(head, failed);
    await check(2);
    await log.move('ann', 1, () => ({ changes: { status: 'skipped', reason: 'CI did not pass.' } }));
    expect(await post()).toMatchObject({ status: 200, body: { status: 'skipped', reason: 'CI did not pass.' } });
  });

  it('leaves a release to CI that calls at the same moment', async () => {
    const { post, log, queue, beforeMoving } = await world();
    beforeMoving(1, async () => {
      await log.move('ann', 1, () => ({ changes: { status: 'running', reason: null } }));
    });
    expect(await post()).toMatchObject({ status: 200, body: { status: 'running' } });
    expect(queue.sent.filter(({ stage }) => stage === 'check')).toEqual([]);
  });
});

describe('POST /1/status/<user>/changes/<id>/cancel', () => {
  /** A push in that state, and the endpoint. */
  async function pushed(patch: Patch = {}) {
    const at = checkWorld();
    const { id } = await at.push(at.commit(null), patch);
    const { log, queue, clock, ids } = at;
    /** Has a worker do the stage in which the deploy is. */
    const run = (work: StageWork) => {
      const context = { stage: patch.stage ?? 'check', log, queue, clock, ids, retryBaseSeconds: 30, trace: () => {} };
      return runStage({ user: 'ann', number: 1 }, { ...context, work });
    };
    return { ...at, id, run, cancel: () => post(at, 'cancel', id) };
  }
  const conflict = (detail: string) => ({ code: 'request:conflict', status: 409, detail });

  it.each([
    { status: 'queued' },
    { ...checked, stage: 'fetch' },
    { ...checked, stage: 'extract' },
    { ...checked, stage: 'start' },
  ] as const)('ends a deploy that is %j, names who did it, and has it reported', async (patch) => {
    const { cancel, id, queue, read } = await pushed(patch);
    expect(await cancel()).toMatchObject({
      status: 202,
      headers: { location: `https://hooks.example.com/1/status/ann/changes/${id}` },
      body: { status: 'cancelled', reason: 'Cancelled by ann.' },
    });
    expect(await read(1)).toMatchObject({ status: 'cancelled', finishedAt: AT, stages: [] });
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
  });

  it('ends a deploy whose stage runs, which then has no effect any more', async () => {
    const { cancel, run, clock, queue, read } = await pushed({ ...checked, stage: 'upload' });
    const work = async () => {
      clock.pass(MINUTE);
      await cancel();
      return { kind: 'done' } as const;
    };
    expect(await run(work)).toEqual({ done: true });
    const detail = 'Cancelled by ann.';
    const stages = [{ name: 'upload', status: 'failed', startedAt: AT, finishedAt: AT + MINUTE, attempts: 1, detail }];
    expect(await read(1)).toMatchObject({ status: 'cancelled', stage: 'upload', stages });
    expect(queue.sent).toEqual([]);
  });

  it('ends a held deploy, and a build that passes later does not deploy its commit', async () => {
    const { head, id, build, check, ...at } = await world();
    await post(at, 'cancel', id);
    await build(head, passed);
    expect(await check(2)).toMatchObject({ status: 'skipped', reason: expect.stringContaining('was cancelled') });
    expect(await at.read(1)).toMatchObject({ status: 'cancelled' });
  });

  it('is request:conflict for what has ended, with its status', async () => {
    const { cancel, log } = await pushed();
    await cancel();
    await expect(cancel()).rejects.toMatchObject(conflict('#1 has ended already: it is cancelled.'));
    await log.move('ann', 1, () => ({ changes: { status: 'ok' } }));
    await expect(cancel()).rejects.toMatchObject(conflict('#1 has ended already: it is ok.'));
  });

  it('is request:conflict once a worker has begun to start the application, which then goes live', async () => {
    const { cancel, run, read } = await pushed({ ...checked, stage: 'start' });
    const work = async () => {
      await expect(cancel()).rejects.toMatchObject(conflict(expect.stringContaining('is being started')));
      return { kind: 'done' } as const;
    };
    await run(work);
    expect(await read(1)).toMatchObject({ status: 'ok' });
  });

  it('keeps a stage from starting the application that had not begun to', async () => {
    const { cancel, run } = await pushed({ ...checked, stage: 'start' });
    await cancel();
    const work = async () => {
      throw new Error('The application must not be started.');
    };
    expect(await run(work)).toEqual({ done: true });
  });
});

it.each(['release', 'cancel'])(
  '%s is status:db:not_found for an unknown entry and for that of another user',
  async (verb) => {
    const at = await world();
    const theirs = await append(at.log, { user: 'bob' });
    for (const id of ['x', theirs.id]) {
      await expect(post(at, verb, id)).rejects.toMatchObject({ code: 'status:db:not_found' });
    }
  },
);
