import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpRequest } from '../../../../functions/api/http.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { httpTrigger } from '../../../../functions/triggers/http.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import { loggedErrors } from '../../../support/events/aws-events.ts';

const uuid = '11111111-1111-4111-8111-111111111111';

/** The parts of a gateway's event that matter. */
type Parts = Partial<Omit<APIGatewayProxyEvent, 'requestContext'>> & { readonly context?: object };

/** What an endpoint makes of an event: the request that it saw, and the gateway's answer. */
async function call(
  parts: Parts = {},
  answer: (request: HttpRequest) => Promise<HttpAnswer> = async () => ({ status: 200, body: { fine: true } }),
  publicUrl: string | null = null,
) {
  const { context, ...event } = parts;
  let seen: HttpRequest | undefined;
  const handler = httpTrigger(async (request) => {
    seen = request;
    return answer(request);
  }, publicUrl);
  const requestContext = { requestId: uuid, domainName: 'hooks.example.com', path: '/1/deploy', ...context };
  const whole = { httpMethod: 'POST', path: '/1/deploy', headers: {}, body: null, isBase64Encoded: false, ...event };
  const result = await handler({ ...whole, requestContext } as APIGatewayProxyEvent, {} as Context);
  return { result, request: seen };
}

const lines = loggedErrors();

describe('a request that a browser sends from a page of another site', () => {
  it.each([
    ['POST', '/1/deploy', 'deploy:auth:bad_creds'],
    ['POST', '/1/apps/{user}/{application}/stop', 'mw:auth:unauthorized'],
    ['POST', '/1/apps/{user}/{application}/reconcile', 'mw:auth:unauthorized'],
    ['DELETE', '/1/apps/{user}/{application}', 'mw:auth:unauthorized'],
  ])('%s %s is refused before the endpoint sees it', async (httpMethod, resource, code) => {
    for (const site of ['cross-site', 'same-site']) {
      const { result, request } = await call({ httpMethod, resource, headers: { 'Sec-Fetch-Site': site } });
      expect([result.statusCode, request]).toEqual([401, undefined]);
      expect(JSON.parse(result.body)).toMatchObject({ code });
    }
  });
});

describe('the id of a request', () => {
  const chosen = '22222222-2222-4222-8222-222222222222';
  const context = { requestId: chosen, extendedRequestId: 'JBlsFHu7oAMF4Ug=' };

  it.each([
    ['the header that sets it', context, { 'X-Amzn-RequestId': chosen }],
    ['no UUID', { ...context, requestId: 'my-request' }, {}],
  ])('is none that a client can choose: %s', async (_what, ids, headers) => {
    const { result, request } = await call({ context: ids, headers });
    expect(request?.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(result.headers?.['x-api-uuid']).toBe(request?.uuid);
    const again = await call({ context: ids, headers });
    expect(again.request?.uuid).toBe(request?.uuid);
    const other = await call({ context: { ...ids, extendedRequestId: 'another' }, headers });
    expect(other.request?.uuid).not.toBe(request?.uuid);
  });
});

describe('an answer', () => {
  it('carries the request’s id and the version of the API', async () => {
    const { result } = await call();
    expect(result).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'x-api-uuid': uuid, 'x-api-version': manifest.version },
      body: '{"fine":true}',
    });
  });

  it('carries them also when it is an error', async () => {
    const { result } = await call({}, async () => {
      throw new DeployError('deploy:no_payload', 'The body is empty.');
    });
    expect(result.statusCode).toBe(400);
    expect(result.headers).toMatchObject({ 'content-type': 'application/problem+json', 'x-api-uuid': uuid });
    expect(JSON.parse(result.body)).toMatchObject({
      code: 'deploy:no_payload',
      status: 400,
      detail: 'The body is empty.',
      uuid,
    });
    expect(lines).toEqual([]);
  });

  it('names the address that explains its error: at the request’s own base, or at the one that the operator has set', async () => {
    const refuse = async () => {
      throw new DeployError('deploy:no_payload', 'The body is empty.');
    };
    const typeOf = async (...args: Parameters<typeof call>) => JSON.parse((await call(...args)).result.body).type;
    expect(await typeOf({}, refuse)).toBe('https://hooks.example.com/errors#deploy:no_payload');
    const staged = await typeOf({ context: { path: '/live/1/deploy' } }, refuse);
    expect(staged).toBe('https://hooks.example.com/live/errors#deploy:no_payload');
    const own = await typeOf({}, refuse, 'https://deploy.example.org');
    expect(own).toBe('https://deploy.example.org/errors#deploy:no_payload');
  });

  it('that is text is sent as it is, and one without a body has no type', async () => {
    const text = await call({}, async () => ({
      status: 200,
      headers: { 'content-type': 'image/svg+xml' },
      body: '<svg/>',
    }));
    expect(text.result).toMatchObject({ body: '<svg/>', headers: { 'content-type': 'image/svg+xml' } });
    const nothing = await call({}, async () => ({ status: 304 }));
    expect(nothing.result.headers).not.toHaveProperty('content-type');
    expect(nothing.result.body).toBe('');
  });

  it('to an unexpected error does not describe it; the log does, without the secrets in it', async () => {
    const { result } = await call({}, async () => {
      throw new Error('connect https://ann:hunter2@10.0.0.7 failed');
    });
    expect(result.statusCode).toBe(500);
    expect(JSON.parse(result.body)).toMatchObject({
      code: 'request:failed',
      detail: `Internal error; logged as ${uuid}.`,
      uuid,
    });
    expect(result.body).not.toMatch(/10\.0\.0\.7|hunter2/);
    expect(lines.join()).toContain('10.0.0.7');
    expect(lines.join()).toContain(uuid);
    expect(lines.join()).not.toContain('hunter2');
  });

  it('keeps the cause of an error to the log', async () => {
    const { result } = await call({}, async () => {
      throw new DeployError('status:db:query_fail', 'Ask again.', { cause: new Error('ECONNREFUSED 10.0.0.7') });
    });
    expect(result.body).not.toContain('10.0.0.7');
    expect(lines.join()).toContain('10.0.0.7');
  });
});

describe('a request', () => {
  it('has the bytes of its body as they were sent', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const binary = await call({ body: bytes.toString('base64'), isBase64Encoded: true });
    expect(Buffer.from(binary.request?.body ?? []).equals(bytes)).toBe(true);
    const text = await call({ body: '{"ü":1}' });
    expect(Buffer.from(text.request?.body ?? []).toString()).toBe('{"ü":1}');
    expect((await call()).request?.body).toHaveLength(0);
  });

  it('has its header names in lower case, and its path parameters decoded', async () => {
    const parts = {
      headers: { 'X-GitHub-Event': 'push' },
      pathParameters: { application: '%40ann%2Fshop', user: '100%' },
    };
    const { request } = await call(parts);
    expect(request).toMatchObject({
      headers: { 'x-github-event': 'push' },
      params: { application: '@ann/shop', user: '100%' },
      query: {},
    });
  });

  it('has the user that the authorizer accepted, or none', async () => {
    expect((await call({ context: { authorizer: { user: 'ann' } } })).request?.user).toBe('ann');
    expect((await call()).request?.user).toBe('');
  });

  it.each([
    ['/1/deploy', '/prod/1/deploy', 'https://hooks.example.com/prod'],
    ['/1/deploy', '/1/deploy', 'https://hooks.example.com'],
    ['/', '/live', 'https://hooks.example.com/live'],
    ['/', '/live/', 'https://hooks.example.com/live'],
    ['/', '/', 'https://hooks.example.com'],
  ])('has the service’s base address, with the stage if there is one: %s as %s', async (path, whole, base) => {
    expect((await call({ path, context: { path: whole } })).request?.base).toBe(base);
  });

  it('is answered with the address that the operator has set, where there is one', async () => {
    const { request } = await call({}, undefined, 'https://deploy.example.org');
    expect(request?.base).toBe('https://deploy.example.org');
  });
});

describe('a request with an API token', () => {
  it('that may not do it is answered with 403, and does not reach the endpoint', async () => {
    const { result, request } = await call({ context: { authorizer: { forbidden: 'It may only read.' } } });
    expect(request).toBeUndefined();
    expect(result).toMatchObject({ statusCode: 403 });
    expect(JSON.parse(result.body)).toMatchObject({ code: 'request:forbidden', detail: 'It may only read.' });
  });

  it('has its name and rights', async () => {
    const { request } = await call({ context: { authorizer: { user: 'kiwi', token: 'ci', rights: 'deploy' } } });
    expect(request).toMatchObject({ user: 'kiwi', token: { name: 'ci', rights: 'deploy' } });
  });
});

describe('a request whose login could not be checked', () => {
  it('is answered with 429 and Retry-After, and does not reach the endpoint', async () => {
    const { result, request } = await call({ context: { authorizer: { throttled: '7' } } });
    expect(request).toBeUndefined();
    expect(result).toMatchObject({ statusCode: 429, headers: { 'retry-after': '7' } });
    expect(JSON.parse(result.body)).toMatchObject({ code: 'request:throttled', uuid });
  });
});
