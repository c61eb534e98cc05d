import { describe, expect, it } from 'vitest';
import { change } from '../../../../functions/api-change/change.ts';
import { memoryIds } from '../../../fakes/clock.ts';
import { MemoryLog } from '../../../fakes/deploy-log/deploy-log.ts';
import { append } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';

async function world() {
  const log = new MemoryLog(memoryIds());
  const mine = await append(log);
  const theirs = await append(log, { user: 'bob' });
  const get = (id: string, query: Record<string, string> = {}) =>
    change(log)(request({ params: { user: 'ann', id }, query }));
  return { mine, theirs, get };
}

describe('one entry', () => {
  it('is answered by its id', async () => {
    const { mine, get } = await world();
    const id = `https://hooks.example.com/1/status/ann/changes/${mine.id}`;
    expect(await get(mine.id)).toMatchObject({ status: 200, body: { id, status: 'queued', seq: 1 } });
  });

  it('has its document when that is asked for', async () => {
    const { mine, get } = await world();
    expect((await get(mine.id, { include_docs: 'true' })).body).toMatchObject({ doc: { branch: 'master' } });
    expect((await get(mine.id)).body).not.toHaveProperty('doc');
  });

  it('of another user is not found, though a number of one’s own is in its id', async () => {
    const { theirs, get } = await world();
    await expect(get(theirs.id)).rejects.toMatchObject({ code: 'status:db:not_found', status: 404 });
  });

  it.each(['', 'x', '1', `${'0'.repeat(20)}000000000001`, `${'0'.repeat(20)}000000000099`, `${'0'.repeat(32)}`])(
    'is not found as %j: a number alone is no address',
    async (id) => {
      const { get } = await world();
      await expect(get(id)).rejects.toMatchObject({ code: 'status:db:not_found' });
    },
  );

  it('is not cached, because it changes', async () => {
    const { mine, get } = await world();
    expect((await get(mine.id)).headers).toMatchObject({ 'cache-control': 'no-cache' });
  });
});

it('A database that fails is status:db:get_by_id', async () => {
  const { mine } = await world();
  const failing = { read: async () => Promise.reject(new Error('away')) };
  const failure = change(failing)(request({ params: { user: 'ann', id: mine.id } }));
  await expect(failure).rejects.toMatchObject({ code: 'status:db:get_by_id', status: 500 });
});
