import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../../functions/api/routes.ts';
import { documents as answers } from '../../../../functions/api-documents/documents.ts';
import { request } from '../../../support/requests.ts';

const html = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const answerDocument = answers({});
const documents = routes.filter((route) => route.function === 'api-documents').map(({ path }) => path);
const get = (resource: string, headers: Record<string, string> = {}) =>
  answerDocument(request({ resource, path: resource, headers, user: '' }));

describe('the documents', () => {
  it.each(documents)('%s is answered, with an ETag by which a client can ask again', async (path) => {
    const first = await get(path);
    expect(first.status).toBe(200);
    const again = await get(path, { 'if-none-match': first.headers?.etag ?? '' });
    expect(again).toEqual({ status: 304, headers: expect.objectContaining({ etag: first.headers?.etag }) });
    // It is made once for an address, and not again for each request.
    expect((await get(path)).body).toBe(first.body);
  });

  it('are kept for the addresses that were asked for last', async () => {
    const first = await get('/errors');
    for (const base of ['https://a', 'https://b', 'https://c', 'https://d']) {
      await answerDocument(request({ resource: '/errors', path: '/errors', base, user: '' }));
    }
    expect((await get('/errors')).body).not.toBe(first.body);
  });

  it('/errors is a page without scripts that loads nothing', async () => {
    const { headers, body } = await get('/errors', { accept: html });
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(String(body)) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
    });
    expect(String(body)).not.toMatch(/<script|\bstyle=|\bsrc=|\bon\w+=|https?:\/\//i);
  });
});

describe('GET /1/openapi', () => {
  it('is the description of the API, for browsers too', async () => {
    const short = await get('/1/openapi', { accept: html });
    expect(short).toEqual(await get('/1/openapi.json'));
    expect(short.headers).toMatchObject({ 'content-type': 'application/json' });
  });
});
