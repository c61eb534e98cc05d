import { describe, expect, it } from 'vitest';
import { status } from '../../../../functions/api-status/status.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { append } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';

const NONE = { last: async () => null };
const USER = '/1/status/{user}/webhooks';
const APPLICATION = '/1/status/{user}/webhooks/{application}';

/** A log with so many entries of `ann`, each second one of the application `shop`. */
async function world(entries: number) {
  const log = memoryLog();
  for (let made = 1; made <= entries; made += 1) await append(log, { appName: made % 2 === 0 ? 'shop' : null });
  await append(log, { user: 'bob' });
  const path = '/1/status/ann/webhooks';
  const get = (query: Record<string, string> = {}, application?: string) =>
    status({ log, calls: NONE })(
      request({
        resource: application ? APPLICATION : USER,
        path: application ? `${path}/${application}` : path,
        params: { user: 'ann', ...(application && { application }) },
        query,
      }),
    );
  return { log, get };
}

/** The numbers of the entries of a page, by their addresses. */
function numbers(body: unknown): number[] {
  const { rows } = body as { rows: readonly { id: string }[] };
  return rows.map(({ id }) => Number(id.slice(-12)));
}

describe('the status page of a user', () => {
  it('has ten entries by default, newest first, and the total', async () => {
    const { get } = await world(25);
    const { status: code, body } = await get();
    expect(code).toBe(200);
    expect(body).toMatchObject({ total: 25, skip: 0, limit: 10 });
    expect(numbers(body)).toEqual([25, 24, 23, 22, 21, 20, 19, 18, 17, 16]);
  });

  it('skips entries with skip, and ends with the oldest entry', async () => {
    const { get } = await world(25);
    expect(numbers((await get({ skip: '20', limit: '10' })).body)).toEqual([5, 4, 3, 2, 1]);
    expect(numbers((await get({ skip: '25' })).body)).toEqual([]);
  });

  it('is empty for a user without entries', async () => {
    const { get } = await world(0);
    expect((await get()).body).toEqual({ total: 0, skip: 0, limit: 10, rows: [] });
  });

  it('says what applications lack on this machine', async () => {
    const answer = await status({ log: memoryLog(), calls: NONE, notice: 'They are not isolated.' })(
      request({ resource: USER, params: { user: 'ann' } }),
    );
    expect(answer.body).toEqual({ total: 0, skip: 0, limit: 10, notice: 'They are not isolated.', rows: [] });
  });

  it('links to the next and the previous page with the same parameters', async () => {
    const { get } = await world(25);
    const address = 'https://hooks.example.com/1/status/ann/webhooks';
    const links = async (query: Record<string, string>) => (await get(query)).headers?.link;
    expect(await links({ skip: '10', include_docs: 'auto' })).toBe(
      `<${address}?limit=10&skip=20&include_docs=auto>; rel="next", <${address}?limit=10&skip=0&include_docs=auto>; rel="prev"`,
    );
    expect(await links({})).toBe(`<${address}?limit=10&skip=10>; rel="next"`);
    expect(await links({ skip: '20' })).toBe(`<${address}?limit=10&skip=10>; rel="prev"`);
    expect(await links({ limit: '100' })).toBeUndefined();
  });

  it('has as many rows as fit into an answer of Lambda, and its next page begins after them', async () => {
    const { log, get } = await world(0);
    // The worst log: a quote has four bytes in an answer.
    const logTail = Array.from({ length: 40 }, () => '"'.repeat(500));
    for (let made = 1; made <= 100; made += 1) await append(log, { status: 'error', logTail });
    const first = await get({ limit: '100', include_docs: 'true' });
    const answer = JSON.stringify({ statusCode: 200, body: JSON.stringify(first.body) });
    expect(Buffer.byteLength(answer)).toBeLessThan(6 * 1024 * 1024);
    const read = numbers(first.body);
    expect(read.length).toBeGreaterThan(60);
    expect(first.headers?.link).toContain(`limit=100&skip=${read.length}&include_docs=true>; rel="next"`);
    const second = await get({ limit: '100', skip: String(read.length), include_docs: 'true' });
    expect([...read, ...numbers(second.body)]).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
  });

  it('includes documents with include_docs', async () => {
    const { get } = await world(1);
    expect((await get({ include_docs: 'true' })).body).toMatchObject({ rows: [{ doc: { user: 'ann' } }] });
    expect(JSON.stringify((await get()).body)).not.toContain('"doc"');
  });

  it.each([{ limit: '0' }, { limit: '101' }, { skip: '-1' }, { include_docs: 'maybe' }])(
    'refuses %j, naming the parameter',
    async (query) => {
      const { get } = await world(1);
      const [name] = Object.keys(query);
      await expect(get(query)).rejects.toMatchObject({
        code: 'request:bad_parameter',
        detail: expect.stringContaining(name ?? ''),
      });
    },
  );
});

describe('the status page of an application', () => {
  it('has only entries of that application', async () => {
    const { get } = await world(5);
    const { body } = await get({}, 'shop');
    expect(body).toMatchObject({ total: 2 });
    expect(numbers(body)).toEqual([4, 2]);
  });

  it('is status:db:not_found for an application without entries', async () => {
    const { get } = await world(5);
    await expect(get({}, 'blog')).rejects.toMatchObject({ code: 'status:db:not_found', status: 404 });
  });

  it('is an empty page when skip is beyond its last entry', async () => {
    const { get } = await world(5);
    expect((await get({ skip: '10' }, 'shop')).body).toMatchObject({ total: 2, rows: [] });
  });
});

it('The last refused call is null when there is none, and says nothing of why it cannot be read', async () => {
  const asked = request({ resource: '/1/status/{user}/refused', params: { user: 'ann' } });
  expect((await status({ log: memoryLog(), calls: NONE })(asked)).body).toEqual({ refused: null });
  const failing = { last: async () => Promise.reject(new Error('10.0.0.7 is away')) };
  const failure = status({ log: memoryLog(), calls: failing })(asked);
  await expect(failure).rejects.toMatchObject({
    code: 'status:db:query_fail',
    detail: expect.not.stringContaining('10.0'),
  });
});

it('The status page is status:db:query_fail when the database fails, without its message', async () => {
  const failing = { page: async () => Promise.reject(new Error('10.0.0.7 is away')) };
  const failure = status({ log: failing, calls: NONE })(request({ resource: USER, params: { user: 'ann' } }));
  await expect(failure).rejects.toMatchObject({ code: 'status:db:query_fail', status: 500 });
  await expect(failure).rejects.not.toMatchObject({ detail: expect.stringContaining('10.0.0.7') });
});
