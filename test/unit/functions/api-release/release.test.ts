import { describe, expect, it } from 'vitest';
import { release } from '../../../../functions/api-release/release.ts';
import { append } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';
import { checkWorld, failed, manifest, waitsForTravis } from '../../../support/worlds/check-world.ts';

/** A push that is held for Travis CI, and the endpoint. */
async function world() {
  const at = checkWorld();
  const head = at.commit(null, { 'package.json': manifest, ...waitsForTravis });
  const { id } = await at.push(head);
  await at.check(1);
  const post = (of = id) => release(at)(request({ method: 'POST', params: { user: 'ann', id: of } }));
  return { ...at, head, id, post };
}

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

  it('is status:db:not_found for an unknown entry and for that of another user', async () => {
    const { post, log } = await world();
    const theirs = await append(log, { user: 'bob' });
    for (const id of ['x', theirs.id]) await expect(post(id)).rejects.toMatchObject({ code: 'status:db:not_found' });
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
