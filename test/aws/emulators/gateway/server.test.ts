import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type AccessRecord, type Gateway, startGateway } from '../../../aws-local/gateway/gateway.ts';
import { FunctionError, PayloadTooLarge, Throttled } from '../../../aws-local/invoke/function-error.ts';
import type { Functions } from '../../../aws-local/invoke/invoke.ts';
import { apiTemplate, type Methods } from '../../../support/aws-local/api-fixture.ts';

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

const ok = { statusCode: 200, body: 'fine' };
const thrown = (errorMessage: string): FunctionError =>
  new FunctionError({ errorType: 'Error', errorMessage, trace: [] });
const policy = (Effect: string, Resource = '*', context = {}): object => ({
  principalId: 'ann',
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }] },
  context,
});
/** A gateway response that names its type. */
const response = (type: string): Record<string, object> => ({
  [type]: {
    responseParameters: {
      'gatewayresponse.header.x-api-uuid': 'context.requestId',
      'gatewayresponse.header.x-nothing': 'context.authorizer.nothing',
    },
    responseTemplates: { 'application/json': `{"type":"${type}","code":"$context.authorizer.code"}` },
  },
});
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a function', () => {
  it('gets the Lambda proxy event of the request, with null for what is not there', async () => {
    const events: Record<string, unknown>[] = [];
    const gateway = await serve(
      { 'ANY /1/status/{user}': { function: 'f' }, 'GET /': { function: 'f' } },
      {
        f: (event) => {
          events.push(event);
          return ok;
        },
      },
    );
    const headers = { 'X-Test': 'yes' };
    const request = { method: 'POST', headers, body: 'é' };
    await fetch(`${gateway.url}/1/status/a%40b/?x=1&x=2&y=a+b&__proto__=z`, request);
    await fetch(gateway.url);
    const [event, empty] = events;
    expect(event).toMatchObject({
      resource: '/1/status/{user}',
      path: '/1/status/a%40b/',
      httpMethod: 'POST',
      pathParameters: { user: 'a@b' },
      stageVariables: null,
      body: 'é',
      isBase64Encoded: false,
      headers: { 'X-Test': 'yes', 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Proto': 'http' },
      multiValueHeaders: { 'X-Test': ['yes'] },
      multiValueQueryStringParameters: { x: ['1', '2'], y: ['a b'] },
      requestContext: {
        httpMethod: 'POST',
        resourcePath: '/1/status/{user}',
        path: '/1/status/a%40b/',
        stage: 'prod',
        apiId: 'Api',
        requestId: expect.stringMatching(uuid),
        domainName: `127.0.0.1:${gateway.port}`,
        identity: { sourceIp: '127.0.0.1' },
      },
    });
    expect(JSON.stringify(event?.queryStringParameters)).toBe('{"x":"2","y":"a b","__proto__":"z"}');
    expect(empty).toMatchObject({
      body: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    });
  });

  it('has its response sent, with the headers that API Gateway sets itself renamed or replaced', async () => {
    const headers = { 'X-One': 1, 'Content-Length': 999, 'WWW-Authenticate': 'Basic' };
    const gateway = await serve(
      { 'GET /': { function: 'f' } },
      { f: () => ({ statusCode: 401, headers, body: 'made' }) },
    );
    const sent = await fetch(gateway.url);
    expect([sent.status, await sent.text()]).toEqual([401, 'made']);
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      'x-one': '1',
      'content-type': 'application/json',
      'content-length': '4',
      'x-amzn-requestid': expect.stringMatching(uuid),
      'x-amzn-remapped-www-authenticate': 'Basic',
    });
    expect(sent.headers.has('www-authenticate')).toBe(false);
  });

  it.each([
    ['no object', 'text'],
    ['no status', { body: 'x' }],
    ['base64', { statusCode: 200, body: '/wA=', isBase64Encoded: true }],
    ['a body that is no text', { statusCode: 200, body: { a: 1 } }],
    ['a header that is no text', { statusCode: 200, headers: { a: {} } }],
    ['a header that HTTP forbids', { statusCode: 200, headers: { a: 'b\r\nc: d' } }],
    ['several values of a header', { statusCode: 200, multiValueHeaders: { a: ['b'] } }],
  ])('has a 502 sent for a response that is malformed: %s', async (_, result) => {
    const sent = await fetch((await serve({ 'GET /': { function: 'f' } }, { f: () => result })).url);
    expect([sent.status, await sent.json()]).toEqual([502, { message: 'Internal server error' }]);
    expect(records[0]?.reason).toBeTruthy();
  });

  it('is not called for a request whose body is incomplete', async () => {
    const gateway = await serve({ 'POST /': { function: 'f' } }, { f: () => expect.fail('called') });
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

describe('the authorizer', () => {
  const methods = { 'GET /1/status/{user}': { function: 'f', login: true } };
  const f: Handler = (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext) });
  const ask = async (authorize: Handler): Promise<Response> =>
    fetch(`${(await serve(methods, { f, authorize })).url}/1/status/ann?x=1`, {
      headers: { authorization: 'Basic x' },
    });

  it('the authorizer gets the request, and the function its context as strings', async () => {
    let event: Record<string, unknown> = {};
    const answer = await ask((got) => {
      event = got;
      return policy('Allow', '*', { admin: true, number: 7, none: null });
    });
    expect(await answer.json()).toMatchObject({ authorizer: { principalId: 'ann', admin: 'true', number: '7' } });
    expect(event).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:Api/prod/GET/1/status/ann',
      pathParameters: { user: 'ann' },
      queryStringParameters: { x: '1' },
      headers: { authorization: 'Basic x' },
    });
    expect(event).not.toHaveProperty('body');
  });

  const arn = (tail: string): string => `arn:aws:execute-api:us-east-1:000000000000:Api/${tail}`;
  const both = ['Allow', 'Deny'].map((Effect) => ({ Effect, Action: 'execute-api:*', Resource: ['*'] }));
  it.each<[string, object, number]>([
    ['a policy that allows by wildcard lets in', policy('Allow', arn('*/GET/*')), 200],
    ['a policy that allows the exact ARN lets in', policy('Allow', arn('prod/GET/1/status/ann')), 200],
    ['a policy for another path refuses', policy('Allow', arn('prod/GET/1/status/bob')), 403],
    ['a policy for another method refuses', policy('Allow', arn('prod/POST/*')), 403],
    ['a Deny wins over an Allow', { principalId: 'ann', policyDocument: { Statement: both } }, 403],
    ['no policy is an error', { principalId: 'ann' }, 500],
    ['a nested context is an error', policy('Allow', '*', { deep: {} }), 500],
  ])('%s', async (_, result, status) => {
    expect((await ask(() => result)).status).toBe(status);
  });
});

describe('an API that may not invoke a function', () => {
  it.each([
    ['get', 'API_CONFIGURATION_ERROR', 'Api/prod/GET/a/{b}'],
    ['authorize', 'AUTHORIZER_CONFIGURATION_ERROR', 'Api/authorizers/Login'],
  ])('%s without a permission is %s, and is not invoked', async (denied, type, source) => {
    const methods = { 'GET /a/{b}': { function: 'get', login: true } };
    const unexpected = () => expect.fail('it was invoked');
    const handlers = { get: () => ok, authorize: () => policy('Allow'), [denied]: unexpected };
    const { url } = await serve(methods, handlers, { responses: response(type), denied: [denied] });
    const answer = await fetch(`${url}/a/1`);
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ type })]);
    expect(records[0]?.reason).toBe(
      'apigateway.amazonaws.com is not authorized to perform: lambda:InvokeFunction on function ' +
        `${denied} for arn:aws:execute-api:us-east-1:000000000000:${source}`,
    );
  });
});

describe('gateway responses', () => {
  const failing = (error: Error) => () => {
    throw error;
  };

  it.each<[string, Handler, number, string]>([
    ['throws', failing(thrown('secret detail')), 502, 'DEFAULT_5XX'],
    ['takes too long', () => new Promise(() => {}), 504, 'INTEGRATION_TIMEOUT'],
    ['would get an event over the limit of Lambda', failing(new PayloadTooLarge('7 MB')), 413, 'REQUEST_TOO_LARGE'],
    ['is throttled', failing(new Throttled('f')), 500, 'API_CONFIGURATION_ERROR'],
    ['cannot be invoked', failing(new Error('closed')), 504, 'INTEGRATION_FAILURE'],
  ])('a function that %s has one without a detail of it, and so has a stream', async (_, f, status, type) => {
    const methods: Methods = {
      'GET /': { function: 'f', timeoutMs: 50 },
      'GET /stream': { function: 'f', timeoutMs: 50, stream: true },
    };
    const stream = async () => f({}) as ReturnType<Functions['invokeStreaming']>;
    const { url } = await serve(methods, { f }, { responses: response(type), stream });
    for (const path of ['/', '/stream']) {
      const answer = await fetch(`${url}${path}`);
      expect([answer.status, await answer.json()]).toEqual([status, { type, code: '' }]);
      expect(answer.headers.get('x-api-uuid')).toMatch(uuid);
      expect(answer.headers.has('x-nothing')).toBe(false);
    }
  });

  it('one that is not declared is the default of its class with its own status, or that of API Gateway', async () => {
    const missing = async (responses: Record<string, object>) => {
      const answer = await fetch(`${(await serve({}, {}, { responses })).url}/b`);
      return [answer.status, await answer.json()];
    };
    expect(await missing({})).toEqual([403, { message: 'Missing Authentication Token' }]);
    expect(await missing(response('DEFAULT_4XX'))).toEqual([403, { type: 'DEFAULT_4XX', code: '' }]);
  });
});

describe('a stream', () => {
  const prelude = { statusCode: 200, headers: { 'content-type': 'text/plain' }, multiValueHeaders: {} };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it.each<[string, number, () => AsyncGenerator<Uint8Array>]>([
    [
      'when the function fails',
      60_000,
      async function* () {
        yield Buffer.from('one');
        throw thrown('under way');
      },
    ],
    [
      'at its timeout',
      400,
      async function* () {
        for (;;) {
          yield Buffer.from('one');
          await pause(20);
        }
      },
    ],
    [
      'when it is silent for too long',
      60_000,
      async function* () {
        yield Buffer.from('one');
        await new Promise(() => {});
      },
    ],
  ])('is cut off, not ended, %s', async (_, timeoutMs, body) => {
    const methods = { 'GET /': { function: 's', stream: true, timeoutMs } };
    const stream = async () => ({ prelude, body: body() });
    const { url } = await serve(methods, {}, { stream, streamIdleMs: 200 });
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });
});
