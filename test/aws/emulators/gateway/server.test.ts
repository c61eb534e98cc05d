import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { type AccessRecord, type Gateway, startGateway } from '../../../aws-local/gateway/gateway.ts';
import { FunctionError, PayloadTooLarge } from '../../../aws-local/invoke/function-error.ts';
import type { Functions } from '../../../aws-local/invoke/invoke.ts';
import { apiTemplate, type Methods } from '../../../support/aws-local/api-fixture.ts';
import { bodyOf } from '../../../support/body-of.ts';
import { BASE_ADDRESSES } from '../../../support/engine/base-addresses.ts';

type Handler = (event: Record<string, unknown>) => unknown;

const gateways: Gateway[] = [];
const records: AccessRecord[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  records.length = 0;
});

/** Serves these methods with handlers in this process. */
async function serve(
  methods: Methods,
  handlers: Record<string, Handler>,
  more: Parameters<typeof apiTemplate>[1] & {
    stream?: Functions['invokeStreaming'];
    streamIdleMs?: number;
  } = {},
): Promise<Gateway> {
  const gateway = await startGateway({
    template: apiTemplate(methods, more),
    functions: {
      invoke: async (name, event) => handlers[name]?.(JSON.parse(JSON.stringify(event))),
      invokeStreaming: more.stream ?? (() => expect.fail('no streams here')),
    },
    port: 0,
    ...(more.streamIdleMs !== undefined && { streamIdleMs: more.streamIdleMs }),
    onRequest: (record) => records.push(record),
  });
  gateways.push(gateway);
  return gateway;
}

/** Sends bytes and returns all that comes back until the connection is closed. */
async function raw({ port }: Gateway, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

const ok = { statusCode: 200, body: 'fine' };
const thrown = (errorMessage: string): FunctionError =>
  new FunctionError({ errorType: 'Error', errorMessage, trace: [] });
const policy = (Effect: string, Resource = '*', context = {}): object => ({
  principalId: 'ann',
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }] },
  context,
});
const problem = (type: string, statusCode?: number): Record<string, object> => ({
  [type]: responseOf(type, statusCode),
});
const responseOf = (type: string, statusCode: number | undefined): object => ({
  ...(statusCode && { statusCode }),
  responseParameters: {
    'gatewayresponse.header.Content-Type': "'application/problem+json'",
    'gatewayresponse.header.x-api-uuid': 'context.requestId',
    'gatewayresponse.header.x-api-version': "'1.2.3'",
    'gatewayresponse.header.x-nothing': 'context.authorizer.nothing',
  },
  responseTemplates: {
    'application/json':
      '{"type":"' +
      type +
      '","code":"$context.authorizer.code","message":$context.error.messageString,"uuid":"$context.requestId"}',
  },
});
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const TYPE = { type: v.string() };

describe('the event of a function', () => {
  it('a function gets the Lambda proxy event of the request', async () => {
    let event: Record<string, unknown> = {};
    const methods = { 'POST /1/status/{user}': { function: 'f' } };
    const gateway = await serve(methods, {
      f: (got) => {
        event = got;
        return ok;
      },
    });
    await fetch(`${gateway.url}/1/status/a%40b/?x=1&x=2&y=a+b&__proto__=z`, {
      method: 'POST',
      headers: { 'X-Test': 'yes', 'x-forwarded-proto': 'https' },
      body: 'é',
    });
    expect(event).toMatchObject({
      resource: '/1/status/{user}',
      path: '/1/status/a%40b/',
      httpMethod: 'POST',
      pathParameters: { user: 'a@b' },
      stageVariables: null,
      body: 'é',
      isBase64Encoded: false,
      requestContext: {
        httpMethod: 'POST',
        resourcePath: '/1/status/{user}',
        path: '/1/status/a%40b/',
        stage: 'prod',
        apiId: 'Api',
        domainName: `127.0.0.1:${gateway.port}`,
        identity: { sourceIp: '127.0.0.1' },
      },
    });
    expect(JSON.stringify(event.queryStringParameters)).toBe('{"x":"2","y":"a b","__proto__":"z"}');
    expect(event.multiValueQueryStringParameters).toMatchObject({ x: ['1', '2'], y: ['a b'] });
    expect(event.multiValueHeaders).toMatchObject({ 'X-Test': ['yes'], 'X-Forwarded-For': ['127.0.0.1'] });
    expect(event.headers).toMatchObject({ 'X-Forwarded-Proto': 'https' });
    expect((event.requestContext as { requestId: string }).requestId).toMatch(uuid);
  });

  it.each(BASE_ADDRESSES)(
    'the event has a protocol and a host that can be part of an address, after %j',
    async (header, address) => {
      const gateway = await serve(
        { 'GET /': { function: 'f' } },
        { f: (event) => ({ statusCode: 200, body: JSON.stringify(event) }) },
      );
      const host = header.startsWith('Host') ? [] : ['Host: api.example:8080'];
      const answer = await raw(gateway, ['GET / HTTP/1.1', ...host, header, 'Connection: close', '', '']);
      const { headers, requestContext } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
      const expected = address.replace('own', `127.0.0.1:${gateway.port}`);
      expect(`${headers['X-Forwarded-Proto']}://${requestContext.domainName}`).toBe(expected);
      expect(`${headers['X-Forwarded-Proto']}://${headers.Host}`).toBe(expected);
    },
  );

  it('the event has null for an absent body, query and path parameters', async () => {
    const gateway = await serve(
      { 'GET /': { function: 'f' } },
      { f: (event) => ({ statusCode: 200, body: JSON.stringify(event) }) },
    );
    expect(await (await fetch(gateway.url)).json()).toMatchObject({
      body: null,
      isBase64Encoded: false,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    });
  });
});

describe('the response of a function', () => {
  const answerOf = async (result: unknown): Promise<Response> =>
    fetch((await serve({ 'ANY /': { function: 'f' } }, { f: () => result })).url);

  it('a response is sent with its status, headers and body', async () => {
    const response = await answerOf({
      statusCode: 201,
      headers: { Location: '/x', 'X-One': 1, 'Content-Length': 999 },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      body: 'made',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe('/x');
    expect(response.headers.get('x-one')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length')).toBe('4');
    expect(response.headers.get('x-amzn-requestid')).toMatch(uuid);
    expect(await response.text()).toBe('made');
  });

  it('a response has its WWW-Authenticate renamed, as on AWS', async () => {
    const response = await answerOf({ statusCode: 401, headers: { 'WWW-Authenticate': 'Basic' } });
    expect(response.headers.has('www-authenticate')).toBe(false);
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Basic');
  });

  it.each([
    ['no object', 'text'],
    ['nothing', undefined],
    ['no status', { body: 'x' }],
    ['base64', { statusCode: 200, body: '/wA=', isBase64Encoded: true }],
    ['a body that is no text', { statusCode: 200, body: { a: 1 } }],
    ['a header that is no text', { statusCode: 200, headers: { a: {} } }],
    ['a header that HTTP forbids', { statusCode: 200, headers: { a: 'b\r\nc: d' } }],
    ['multiValueHeaders without lists', { statusCode: 200, multiValueHeaders: { a: 'b' } }],
  ])('is a 502 when it is malformed: %s', async (_, result) => {
    const response = await answerOf(result);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ message: 'Internal server error' });
    expect(records[0]?.reason).toBeTruthy();
  });

  it('the response to HEAD has no body, and the length of the response to GET', async () => {
    const gateway = await serve({ 'ANY /': { function: 'f' } }, { f: () => ok });
    const response = await fetch(gateway.url, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe('4');
    expect(await response.text()).toBe('');
  });

  it('one connection serves many requests', async () => {
    const gateway = await serve({ 'GET /': { function: 'f' } }, { f: () => ok });
    const socket = connect(gateway.port, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(request);
    await expect.poll(() => received).toContain('fine');
    socket.write(request);
    await expect.poll(() => received.split('HTTP/1.1 200').length).toBe(3);
    socket.destroy();
  });
});

describe('the authorizer', () => {
  const methods = { 'GET /1/status/{user}': { function: 'f', login: true } };
  const f: Handler = (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext) });
  const ask = async (authorize: Handler, more: Parameters<typeof apiTemplate>[1] = {}): Promise<Response> =>
    fetch(`${(await serve(methods, { f, authorize }, more)).url}/1/status/ann?x=1`, {
      headers: { authorization: 'Basic x' },
    });

  it('the authorizer gets the request, and the function its context as strings', async () => {
    let event: Record<string, unknown> = {};
    const response = await ask((got) => {
      event = got;
      return policy('Allow', '*', { admin: true, number: 7, none: null });
    });
    expect(await response.json()).toMatchObject({ authorizer: { principalId: 'ann', admin: 'true', number: '7' } });
    expect(event).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:Api/prod/GET/1/status/ann',
      pathParameters: { user: 'ann' },
      queryStringParameters: { x: '1' },
      headers: { authorization: 'Basic x' },
    });
    expect(event).not.toHaveProperty('body');
  });

  it('a denial has the gateway response of the template and the context of the authorizer', async () => {
    const responses = problem('ACCESS_DENIED', 401);
    const response = await ask(() => policy('Deny', '*', { code: 'mw:auth:unauthorized' }), { responses });
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-api-version')).toBe('1.2.3');
    expect(response.headers.has('x-nothing')).toBe(false);
    const id = response.headers.get('x-api-uuid');
    expect(id).toMatch(uuid);
    expect(await response.json()).toEqual({
      type: 'ACCESS_DENIED',
      code: 'mw:auth:unauthorized',
      message: 'User is not authorized to access this resource',
      uuid: id,
    });
    expect(records[0]).toMatchObject({ status: 401, requestId: id, path: '/1/status/ann', method: 'GET' });
  });

  const arn = (tail: string): string => `arn:aws:execute-api:us-east-1:000000000000:Api/${tail}`;
  it.each([
    ['allows by wildcard', arn('*/GET/*'), 200],
    ['allows by the exact ARN', arn('prod/GET/1/status/ann'), 200],
    ['does not allow another path', arn('prod/GET/1/status/bob'), 403],
    ['does not allow another method', arn('prod/POST/*'), 403],
  ])('%s', async (_, resource, status) => {
    expect((await ask(() => policy('Allow', resource))).status).toBe(status);
  });

  it('a Deny in the policy takes precedence over an Allow', async () => {
    const Statement = ['Allow', 'Deny'].map((Effect) => ({ Effect, Action: 'execute-api:*', Resource: ['*'] }));
    expect((await ask(() => ({ principalId: 'ann', policyDocument: { Statement } }))).status).toBe(403);
  });

  it('an authorizer that throws "Unauthorized" is UNAUTHORIZED, any other error AUTHORIZER_FAILURE', async () => {
    const responses = { ...problem('UNAUTHORIZED'), ...problem('AUTHORIZER_FAILURE') };
    const outcome = async (message: string): Promise<unknown> => {
      const response = await ask(
        () => {
          throw thrown(message);
        },
        { responses },
      );
      return [response.status, (await bodyOf(response, TYPE)).type];
    };
    expect(await outcome('Unauthorized')).toEqual([401, 'UNAUTHORIZED']);
    expect(await outcome('server down')).toEqual([500, 'AUTHORIZER_FAILURE']);
  });

  it.each([
    ['nothing', undefined],
    ['no policy', { principalId: 'ann' }],
    ['a nested context', policy('Allow', '*', { deep: {} })],
  ])('is misconfigured when it returns %s', async (_, result) => {
    expect((await ask(() => result)).status).toBe(500);
    expect(records[0]?.reason).toContain('the authorizer returned');
  });
});

describe('an API that may not invoke a function', () => {
  it.each([
    ['get', 'API_CONFIGURATION_ERROR', 'Api/prod/GET/a/{b}'],
    ['authorize', 'AUTHORIZER_CONFIGURATION_ERROR', 'Api/authorizers/Login'],
  ])('%s without a permission is %s, and is not invoked', async (denied, type, source) => {
    const responses = problem(type);
    const methods = { 'GET /a/{b}': { function: 'get', login: true } };
    const unexpected = () => expect.fail('it was invoked');
    const handlers = { get: () => ok, authorize: () => policy('Allow'), [denied]: unexpected };
    const { url } = await serve(methods, handlers, { responses, denied: [denied] });
    const response = await fetch(`${url}/a/1`);
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ type })]);
    expect(records[0]?.reason).toBe(
      'apigateway.amazonaws.com is not authorized to perform: lambda:InvokeFunction on function ' +
        `${denied} for arn:aws:execute-api:us-east-1:000000000000:${source}`,
    );
  });
});

describe('gateway responses', () => {
  const f: Handler = () => {
    throw thrown('secret detail');
  };

  it.each([
    ['400', ['GET / HTTP/1.1', 'host: x', 'content-length: a', '', '']],
    ['431', ['GET / HTTP/1.1', 'host: x', `long: ${'x'.repeat(70_000)}`, '', '']],
    ['400', ['GET / HTTP/1.1', 'host: x', 'host: y', 'connection: close', '', '']],
    ['400', ['GET / HTTP/1.1', 'connection: close', '', '']],
    [
      '413',
      ['POST / HTTP/1.1', 'host: x', 'transfer-encoding: chunked', '', `5;${'x'.repeat(20_000)}`, 'hello', '0', '', ''],
    ],
  ])('bytes that are no request get %s, with an id and the default response of the template', async (status, lines) => {
    const late: Handler = () => new Promise(() => {});
    const gateway = await serve({ 'POST /': { function: 'f' } }, { f: late }, { responses: problem('DEFAULT_4XX') });
    const [head = '', body = ''] = (await raw(gateway, lines)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [, id] = /^x-api-uuid: (.+)$/m.exec(head) ?? [];
    expect(id?.trim()).toMatch(uuid);
    expect(JSON.parse(body)).toMatchObject({ type: 'DEFAULT_4XX', uuid: id?.trim() });
  });

  it('an expectation that is not known is ignored', async () => {
    const gateway = await serve({ 'GET /': { function: 'f' } }, { f: () => ok });
    const answer = await raw(gateway, ['GET / HTTP/1.1', 'host: x', 'expect: cake', 'connection: close', '', '']);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('an unknown path gets the gateway response and status of the template', async () => {
    const gateway = await serve(
      { 'GET /a': { function: 'f' } },
      { f },
      { responses: problem('MISSING_AUTHENTICATION_TOKEN', 404) },
    );
    const response = await fetch(`${gateway.url}/b`);
    expect(response.status).toBe(404);
    expect(response.headers.get('x-api-uuid')).toMatch(uuid);
    expect(await response.json()).toMatchObject({ message: 'Missing Authentication Token', code: '' });
  });

  it('an undeclared gateway response is the default of API Gateway', async () => {
    const gateway = await serve({ 'GET /a': { function: 'f' } }, { f });
    const response = await fetch(`${gateway.url}/b`);
    expect([response.status, await response.json()]).toEqual([403, { message: 'Missing Authentication Token' }]);
  });

  it('an undeclared gateway response has the body of its default type and its own status', async () => {
    const responses = { ...problem('DEFAULT_4XX'), ...problem('DEFAULT_5XX') };
    const gateway = await serve({ 'GET /a': { function: 'f' } }, { f }, { responses });
    const missing = await fetch(`${gateway.url}/b`);
    expect([missing.status, (await bodyOf(missing, TYPE)).type]).toEqual([403, 'DEFAULT_4XX']);
    const failed = await fetch(`${gateway.url}/a`);
    const body = await failed.text();
    expect(failed.status).toBe(502);
    expect(body).toContain('DEFAULT_5XX');
    expect(body).not.toContain('secret detail');
    expect(records[1]?.reason).toContain('secret detail');
  });

  it('a function that takes too long is INTEGRATION_TIMEOUT', async () => {
    const responses = problem('INTEGRATION_TIMEOUT');
    const gateway = await serve(
      { 'GET /': { function: 'f', timeoutMs: 50 } },
      { f: () => new Promise(() => {}) },
      { responses },
    );
    const response = await fetch(gateway.url);
    expect([response.status, (await bodyOf(response, TYPE)).type]).toEqual([504, 'INTEGRATION_TIMEOUT']);
  });

  it('an event over the limit of Lambda is REQUEST_TOO_LARGE', async () => {
    const gateway = await serve(
      { 'GET /': { function: 'f' } },
      {
        f: () => {
          throw new PayloadTooLarge('7 MB');
        },
      },
    );
    expect((await fetch(gateway.url)).status).toBe(413);
  });

  it('a function that cannot be invoked is INTEGRATION_FAILURE', async () => {
    const gateway = await serve(
      { 'GET /': { function: 'f' } },
      {
        f: () => {
          throw new Error('closed');
        },
      },
    );
    expect((await fetch(gateway.url)).status).toBe(504);
  });
});

describe('a body', () => {
  const methods = { 'POST /': { function: 'f' } };
  const f: Handler = ({ body }) => ({ statusCode: 200, body: String(String(body).length) });

  it('a body over 10 MB is refused, with and without a declared length', async () => {
    const gateway = await serve(methods, { f });
    const body = Buffer.alloc(10 * 1024 * 1024 + 1);
    expect((await fetch(gateway.url, { method: 'POST', body })).status).toBe(413);
    const pieces = new ReadableStream({
      start: (to) => {
        to.enqueue(body);
        to.close();
      },
    });
    expect((await fetch(gateway.url, { method: 'POST', body: pieces, duplex: 'half' })).status).toBe(413);
  });

  it('a client that expects 100 Continue gets it, unless the body is too long', async () => {
    const gateway = await serve(methods, { f });
    const send = (length: number): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { expect: '100-continue', 'content-length': length };
        const request = httpRequest(gateway.url, { method: 'POST', headers });
        let continued = false;
        request.on('continue', () => {
          continued = true;
          request.end('x'.repeat(length));
        });
        request.on('response', (response) => {
          response.resume();
          resolve(`${continued} ${response.statusCode}`);
        });
        request.on('error', reject);
        request.flushHeaders();
      });
    expect(await send(3)).toBe('true 200');
    expect(await send(11 * 1024 * 1024)).toBe('false 413');
  });

  it('the login is checked before the body: a client without one is refused before it has sent it', async () => {
    const login = { 'POST /': { function: 'f', login: true } };
    const gateway = await serve(login, { f: () => expect.fail('called'), authorize: () => policy('Deny') });
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\nthe first bytes');
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 403 /);
    socket.destroy();
  });

  it('a request with an incomplete body invokes no function and is logged with 499', async () => {
    const gateway = await serve(methods, { f: () => expect.fail('called') });
    // One that is cut off before it was read is no request.
    const cutOff = async () => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
      return records[0]?.status;
    };
    await expect.poll(cutOff).toBe(499);
  });
});

describe('a stream', () => {
  const methods = { 'GET /': { function: 's', stream: true, timeoutMs: 400 } };
  const prelude = { statusCode: 200, headers: { 'content-type': 'application/x-ndjson' }, multiValueHeaders: {} };
  const opened =
    (body: AsyncGenerator<Uint8Array, undefined>): Functions['invokeStreaming'] =>
    async () => ({ prelude, body });
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it('a streamed response has its head sent immediately and its chunks as they are written', async () => {
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    async function* body(): AsyncGenerator<Uint8Array, undefined> {
      await gate;
      yield Buffer.from('one\n');
      yield Buffer.from('two\n');
    }
    const response = await fetch((await serve(methods, {}, { stream: opened(body()) })).url);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    go();
    expect(await response.text()).toBe('one\ntwo\n');
  });

  it('a stream is cut off, not ended, when the function fails', async () => {
    async function* body(): AsyncGenerator<Uint8Array, undefined> {
      yield Buffer.from('one');
      throw thrown('under way');
    }
    const response = await fetch((await serve(methods, {}, { stream: opened(body()) })).url);
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => records[0]?.reason).toContain('under way');
  });

  it('a stream is cut off at its timeout', async () => {
    async function* body(): AsyncGenerator<Uint8Array, undefined> {
      while (true) {
        yield Buffer.from('.');
        await pause(20);
      }
    }
    const { url } = await serve(methods, {}, { stream: opened(body()) });
    const started = Date.now();
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow();
    expect(Date.now() - started).toBeGreaterThan(200);
  });

  it('a stream that is silent for too long is cut off, well before its timeout', async () => {
    const lasting = { 'GET /': { function: 's', stream: true, timeoutMs: 60_000 } };
    async function* body(): AsyncGenerator<Uint8Array, undefined> {
      for (const text of ['one', 'two']) yield Buffer.from(text);
      await new Promise(() => {});
    }
    const { url } = await serve(lasting, {}, { stream: opened(body()), streamIdleMs: 100 });
    const read: string[] = [];
    const reading = async () => {
      for await (const chunk of (await fetch(url)).body ?? []) read.push(Buffer.from(chunk).toString());
    };
    await expect(reading()).rejects.toThrow();
    expect(read.join('')).toBe('onetwo');
  });

  it('a stream is no longer read when the client disconnects', async () => {
    let left = false;
    async function* body(): AsyncGenerator<Uint8Array, undefined> {
      try {
        while (true) {
          yield Buffer.alloc(100_000);
          await pause(1);
        }
      } finally {
        left = true;
      }
    }
    const gone = new AbortController();
    await fetch((await serve({ 'GET /': { function: 's', stream: true } }, {}, { stream: opened(body()) })).url, {
      signal: gone.signal,
    });
    gone.abort();
    await expect.poll(() => left).toBe(true);
  });

  it('a stream that does not start is a gateway response', async () => {
    const stream = async (): Promise<never> => {
      throw thrown('no head');
    };
    expect((await fetch((await serve(methods, {}, { stream })).url)).status).toBe(502);
  });
});
