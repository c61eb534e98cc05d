import { describe, expect, it } from 'vitest';
import { routes } from '../../../../functions/api/routes.ts';
import { answerUnknown } from '../../../../functions/api-unknown/unknown.ts';
import { httpTrigger } from '../../../../functions/triggers/http.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { context, proxyEvent, uuid } from '../../../support/events/aws-events.ts';

const known = { uuid: '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d', base: 'https://deploy.example.com' };

describe('a request without an endpoint', () => {
  it('is 404 at a path below a known path', async () => {
    const request = { method: 'GET', resource: '/1/{proxy+}', path: '/1/nothing/here', ...known };
    expect(await answerUnknown(request)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        type: 'https://deploy.example.com/errors#request:not_found',
        status: 404,
        code: 'request:not_found',
        uuid: known.uuid,
        detail: 'There is no endpoint at /1/nothing/here. GET /1/openapi lists the endpoints.',
      },
    });
  });

  it('is 404 at a path that is only the parent of endpoints', async () => {
    const answer = await answerUnknown({ method: 'GET', resource: '/1/status/{user}', path: '/1/status/jo', ...known });
    expect(answer.body.code).toBe('request:not_found');
    expect(answer.headers).not.toHaveProperty('allow');
  });

  it('is 404 even where the variable of another route would match', async () => {
    const resource = '/{user}/{repository}';
    expect((await answerUnknown({ method: 'POST', resource, path: '/1/repository', ...known })).status).toBe(404);
    expect((await answerUnknown({ method: 'POST', resource, path: '/ann/repository', ...known })).status).toBe(405);
  });

  it('is 405 with Allow at a known path', async () => {
    const request = { method: 'DELETE', resource: '/1/deploy', path: '/1/deploy', ...known };
    expect(await answerUnknown(request)).toMatchObject({
      status: 405,
      headers: { allow: 'POST', 'content-type': 'application/problem+json' },
      body: {
        status: 405,
        code: 'request:method_not_allowed',
        uuid: known.uuid,
        detail: expect.stringContaining('DELETE'),
      },
    });
  });

  it.each(routes)('is 405 at $path, with $method in Allow', async ({ path, method }) => {
    const answer = await answerUnknown({ method: 'PATCH', resource: path, path, ...known });
    expect(answer.headers.allow?.split(', ')).toContain(method);
  });
});

it('The function api-unknown answers a wrong method with a problem document, as all endpoints do', async () => {
  const answer = await httpTrigger(answerUnknown)(proxyEvent({ httpMethod: 'GET' }), context);
  expect(answer.statusCode).toBe(405);
  expect(answer.headers).toEqual({
    allow: 'POST',
    'content-type': 'application/problem+json',
    'x-api-uuid': uuid,
    'x-api-version': packageJson.version,
  });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'request:method_not_allowed', status: 405, uuid });
});
