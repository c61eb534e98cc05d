import { describe, expect, it } from 'vitest';
import { change } from '../../../../functions/api-change/change.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { append } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';

async function world() {
  const log = memoryLog();
  const mine = await append(log);
  const theirs = await append(log, { user: 'bob' });
  const get = (id: string, query: Record<string, string> = {}) =>
    change(log)(request({ params: { user: 'ann', id }, query }));
  return { mine, theirs, get };
}

describe('GET /1/status/<user>/changes/<id>', () => {
  it('returns the entry with that id', async () => {
    const { mine, get } = await world();
    const id = `https://hooks.example.com/1/status/ann/changes/${mine.id}`;
    expect(await get(mine.id)).toMatchObject({ status: 200, body: { id, status: 'queued', seq: 1 } });
  });

  it('includes the document with include_docs', async () => {
    const { mine, get } = await world();
    expect((await get(mine.id, { include_docs: 'true' })).body).toMatchObject({ doc: { branch: 'master' } });
    expect((await get(mine.id)).body).not.toHaveProperty('doc');
  });

  it('is status:db:not_found for the id of another user’s entry with the same number', async () => {
    const { theirs, get } = await world();
    await expect(get(theirs.id)).rejects.toMatchObject({ code: 'status:db:not_found', status: 404 });
  });

  it.each(['', 'x', '1', `${'0'.repeat(20)}000000000001`, `${'0'.repeat(20)}000000000099`, `${'0'.repeat(32)}`])(
    'is status:db:not_found for %j, because the whole id is compared',
    async (id) => {
      const { get } = await world();
      await expect(get(id)).rejects.toMatchObject({ code: 'status:db:not_found' });
    },
  );

  it('forbids caching, because an entry changes', async () => {
    const { mine, get } = await world();
    expect((await get(mine.id)).headers).toMatchObject({ 'cache-control': 'no-cache' });
  });
});

it('GET /1/status/<user>/changes/<id> is status:db:get_by_id when the database fails', async () => {
  const { mine } = await world();
  const failing = { read: async () => Promise.reject(new Error('away')) };
  const failure = change(failing)(request({ params: { user: 'ann', id: mine.id } }));
  await expect(failure).rejects.toMatchObject({ code: 'status:db:get_by_id', status: 500 });
});
