import { once } from 'node:events';
import { connect as tcpConnect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSocket, refusedSocket } from '../../../support/aws-local/socket-client.ts';
import { type SocketFixture, startSocketFixture } from '../../../support/aws-local/socket-fixture.ts';

const custom = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Authorizer' } };

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
    const before = Date.now();
    const { socket } = await openSocket(`${fixture.url}/prod?user=ann&user=bob`, { headers: { 'X-Test': 'yes' } });
    const event = await fixture.event('$connect');
    socket.terminate();
    const host = new URL(fixture.url).host;
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
    expect(event.requestContext.connectedAt).toBeGreaterThanOrEqual(before);
    expect(event.requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before);
    expect(event).not.toHaveProperty('body');
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });

  it('a handshake is accepted only after the response of the function', async () => {
    const asked = performance.now();
    const { socket } = await openSocket(`${fixture.url}?wait=300`);
    expect(performance.now() - asked).toBeGreaterThan(290);
    socket.terminate();
  });

  it('the event of a handshake without a query has none', async () => {
    const { socket } = await openSocket(fixture.url);
    expect(await fixture.event('$connect')).not.toHaveProperty('queryStringParameters');
    socket.terminate();
  });

  it.each([
    ['a status that is no success', '?status=403', 403, 'Forbidden'],
    ['a redirection', '?status=302', 302, 'Found'],
    ['a throw', '?throw=yes', 502, 'Internal server error'],
    ['an answer that is none', '?nonsense=yes', 502, 'Internal server error'],
    ['a function that takes too long', '?wait=4000', 504, 'Endpoint request timed out'],
  ])('is refused by %s', async (_, query, status, message) => {
    const refusal = await refusedSocket(`${fixture.url}/${query}`);
    const ids = { connectionId: expect.any(String), requestId: expect.any(String) };
    expect(refusal).toEqual({ status, body: { message, ...ids } });
    // Long enough for a $disconnect, which must not come.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(fixture.routesOf(String(refusal.body.connectionId))).toEqual(['$connect']);
  });

  it('a handshake on any other path is refused without a call of a function', async () => {
    const { status, body } = await refusedSocket(`${fixture.url}/other`);
    expect(status).toBe(403);
    expect(fixture.routesOf(String(body.connectionId))).toEqual([]);
  });

  it('a handshake gets the subprotocol that the function returned, if any', async () => {
    const chosen = await openSocket(`${fixture.url}?protocol=b`, { protocols: ['a', 'b'] });
    expect(chosen.socket.protocol).toBe('b');
    chosen.socket.terminate();
    await expect(openSocket(fixture.url, { protocols: ['a'] })).rejects.toThrow('Server sent no subprotocol');
  });

  it('a malformed handshake is refused without a call of a function', async () => {
    const { port } = new URL(fixture.url);
    const socket = tcpConnect(Number(port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [bytes] = await once(socket, 'data');
    expect(String(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
    expect(fixture.events.filter((event) => event.requestContext.eventType === 'CONNECT')).toEqual([]);
  });

  it('the handshake of a client that disconnected during $connect is followed by $disconnect', async () => {
    const { port } = new URL(fixture.url);
    const socket = tcpConnect(Number(port), '127.0.0.1');
    const key = Buffer.alloc(16).toString('base64');
    socket.write(
      `GET /?wait=300 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
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

  it('the authorizer of a handshake gets an event of type REQUEST', async () => {
    const { socket } = await openSocket(fixture.url, as('good'));
    socket.terminate();
    await fixture.event('$connect');
    expect(fixture.events[0]).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:Socket/prod/$connect',
      headers: { authorization: 'good' },
      queryStringParameters: {},
      stageVariables: {},
      requestContext: { routeKey: '$connect', eventType: 'CONNECT', stage: 'prod', apiId: 'Socket' },
    });
  });

  it('every function of the connection gets the context of the authorizer as strings', async () => {
    const client = await openSocket(fixture.url, as('good'));
    client.socket.send('hello');
    await client.next();
    client.socket.close();
    const caller = { authorizer: { principalId: 'ann', apps: '2' } };
    for (const route of ['$connect', '$default', '$disconnect']) {
      expect((await fixture.event(route)).requestContext).toMatchObject(caller);
    }
  });

  it.each([
    ['denies', 'bad', 403],
    ['throws "Unauthorized"', 'unknown', 401],
    ['fails', 'down', 500],
  ])('is refused when it %s', async (_, authorization, status) => {
    const refusal = await refusedSocket(fixture.url, as(authorization));
    expect(refusal.status).toBe(status);
    await expect.poll(() => fixture.routesOf(String(refusal.body.connectionId))).toEqual(['$connect']);
    expect(fixture.events.map((event) => event.type)).toContain('REQUEST');
  });

  it('a refused handshake leaves no credentials in the log', async () => {
    await refusedSocket(`${fixture.url}?token=hidden`, as('bad'));
    expect(fixture.sentences.join()).not.toMatch(/hidden|bad/);
  });
});

describe('a handshake of an API that may not invoke a function', () => {
  it.each(['LoginAllowed', 'ConnectAllowed'])('without %s is an internal error', async (permission) => {
    const fixture = await startSocketFixture({ connect: custom, resources: { [permission]: undefined } });
    const { status } = await refusedSocket(fixture.url, { headers: { authorization: 'good' } });
    expect([status, fixture.sentences.join()]).toEqual([
      500,
      expect.stringContaining('apigateway.amazonaws.com is not authorized to perform: lambda:InvokeFunction'),
    ]);
    await fixture.close();
  });
});
