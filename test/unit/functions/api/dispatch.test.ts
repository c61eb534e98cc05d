import { expect, it } from 'vitest';
import { dispatch } from '../../../../functions/api/dispatch.ts';
import type { HttpAnswer, HttpRequest } from '../../../../functions/api/http.ts';
import { request } from '../../../support/requests.ts';

interface Ports {
  readonly word: string;
}

const answer = async (_: HttpRequest, { word }: Ports): Promise<HttpAnswer> => ({ status: 200, body: word });
const kept = async (): Promise<HttpAnswer> => ({ status: 200, headers: { 'cache-control': 'no-cache' } });

const documents = dispatch('api-documents', {
  'GET /errors': answer,
  'GET /1/openapi': kept,
  'GET /1/openapi.json': kept,
})({ word: 'hello' });

it('An endpoint of a function is called with its ports, by the method and path of its row', async () => {
  expect(await documents(request({ resource: '/errors' }))).toMatchObject({ status: 200, body: 'hello' });
  expect(await documents(request({ resource: '/1/openapi.json' }))).toMatchObject({ status: 200 });
});

it('What it answers is not to be cached, unless it says otherwise', async () => {
  const cachingOf = async (resource: string) => (await documents(request({ resource }))).headers?.['cache-control'];
  expect(await cachingOf('/errors')).toBe('no-store');
  expect(await cachingOf('/1/openapi')).toBe('no-cache');
});

it('A request that no row of the function has is a defect of the router, and not a mistake of the client', async () => {
  const asked = documents(request({ method: 'POST', resource: '/errors' }));
  await expect(asked).rejects.toThrow('api-documents has no endpoint POST /errors');
  await expect(documents(request({ method: 'toString', resource: '' }))).rejects.toThrow('has no endpoint');
});
