import { once } from 'node:events';
import { connect as tcpConnect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSocket, refusedSocket } from '../../../support/aws-local/socket-client.ts';
import { type SocketFixture, startSocketFixture } from '../../../support/aws-local/socket-fixture.ts';

const custom = { AuthorizationType: 'CUSTOM', AuthorizerId: 'Authorizer' };

describe('a handshake', () => {
  let fixture: SocketFixture;
  beforeAll(async () => {
    fixture = await startSocketFixture();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    fixture.events.length = 0;
  });

  it('the $connect function gets the handshake as API Gateway’s event', async () => {
    const { socket } = await openSocket(`${fixture.url}/?user=ann&user=bob`, { headers: { 'X-Test': 'yes' } });
    const event = await fixture.event('$connect');
    socket.terminate();
    const { host } = new URL(fixture.url);
    expect(event).toMatchObject({
      headers: { Host: host, 'X-Test': 'yes', 'X-Forwarded-For': '127.0.0.1' },
      multiValueHeaders: { 'X-Test': ['yes'] },
      queryStringParameters: { user: 'bob' },
      multiValueQueryStringParameters: { user: ['ann', 'bob'] },
      requestContext: {
        routeKey: '$connect',
        eventType: 'CONNECT',
        messageDirection: 'IN',
        connectionId: expect.stringMatching(/^[\w-]{15}=$/),
        domainName: host,
        stage: 'prod',
        apiId: 'Socket',
        requestId: expect.any(String),
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        identity: { sourceIp: '127.0.0.1', userAgent: null },
      },
      isBase64Encoded: false,
    });
    expect(event).not.toHaveProperty('body');
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });

  it.each([
    ['a status that is no success', '?status=403', 403, 'Forbidden', ['$connect']],
    ['a redirection', '?status=302', 302, 'Found', ['$connect']],
    ['a throw', '?then=throw', 502, 'Internal server error', ['$connect']],
    ['an answer that is none', '?then=nonsense', 502, 'Internal server error', ['$connect']],
    ['a function that takes too long', '?wait=1.5', 504, 'Endpoint request timed out', ['$connect']],
    ['another path, which no function is called for', 'other', 403, 'Forbidden', []],
  ])('is refused by %s', async (_, target, status, message, routes) => {
    const refusal = await refusedSocket(`${fixture.url}/${target}`);
    const ids = { connectionId: expect.any(String), requestId: expect.any(String) };
    expect(refusal).toEqual({ status, body: { message, ...ids } });
    // Long enough for a $disconnect, which must not come.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(fixture.routesOf(String(refusal.body.connectionId))).toEqual(routes);
  });

  it('the handshake of a client that disconnected during $connect is followed by $disconnect', async () => {
    const socket = tcpConnect(Number(new URL(fixture.url).port), '127.0.0.1');
    const websocket = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
    socket.write(['GET /?wait=0.3 HTTP/1.1', 'Host: x', ...websocket, key, '', ''].join('\r\n'));
    const { requestContext } = await fixture.event('$connect');
    socket.resetAndDestroy();
    const disconnectEvent = await fixture.event('$disconnect', requestContext.connectionId);
    expect(disconnectEvent.requestContext).toMatchObject({ disconnectStatusCode: 1006 });
  });
});

describe('a handshake with an authorizer', () => {
  let fixture: SocketFixture;
  beforeAll(async () => {
    fixture = await startSocketFixture({ connect: custom });
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    fixture.events.length = 0;
  });
  const as = (authorization: string) => ({ headers: { authorization } });

  it('the authorizer gets an event of type REQUEST, and each function its context as strings', async () => {
    const { socket, next } = await openSocket(fixture.url, as('good'));
    socket.send('hello');
    await next();
    socket.close();
    await once(socket, 'close');
    expect(fixture.events[0]).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:Socket/prod/$connect',
      headers: { authorization: 'good' },
      queryStringParameters: {},
      stageVariables: {},
      requestContext: { routeKey: '$connect', eventType: 'CONNECT', stage: 'prod', apiId: 'Socket' },
    });
    expect(await fixture.event('$connect')).not.toHaveProperty('queryStringParameters');
    for (const route of ['$connect', '$default', '$disconnect']) {
      const authorizer = { principalId: 'ann', apps: '2' };
      expect((await fixture.event(route)).requestContext).toMatchObject({ authorizer });
    }
  });

  it.each([
    ['denies', 'bad', 403],
    ['throws "Unauthorized"', 'unknown', 401],
    ['fails', 'down', 500],
  ])('is refused when it %s, and $connect is not called', async (_, authorization, status) => {
    expect((await refusedSocket(fixture.url, as(authorization))).status).toBe(status);
    expect(fixture.events.map(({ type }) => type)).toEqual(['REQUEST']);
  });

  it.each(['LoginAllowed', 'ConnectAllowed'])('without the permission %s is an internal error', async (without) => {
    const denied = await startSocketFixture({ connect: custom, without });
    const { status } = await refusedSocket(denied.url, as('good'));
    expect([status, denied.sentences.join()]).toEqual([
      500,
      expect.stringContaining('apigateway.amazonaws.com is not authorized to perform: lambda:InvokeFunction'),
    ]);
    await denied.close();
  });
});
