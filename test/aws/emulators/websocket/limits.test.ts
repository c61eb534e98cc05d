import { EventEmitter, once } from 'node:events';
import { ApiGatewayManagementApiClient, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import type { Limits } from '../../../aws-local/websocket/connection.ts';
import { startWebSocketApis } from '../../../aws-local/websocket/websocket.ts';
import { openSocket, type SocketClient } from '../../../support/aws-local/socket-client.ts';
import {
  type FixtureOptions,
  type SocketEvent,
  type SocketFixture,
  startSocketFixture,
} from '../../../support/aws-local/socket-fixture.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const inProcess = templateOf({
  Api: ['AWS::ApiGatewayV2::Api', { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' }],
  Call: [
    'AWS::ApiGatewayV2::Integration',
    {
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: 'arn:x/functions/arn:aws:lambda:us-east-1:0:function:app/invocations',
    },
  ],
  Route: [
    'AWS::ApiGatewayV2::Route',
    { ApiId: 'Api', RouteKey: '$default', Target: 'integrations/Call', RouteResponseSelectionExpression: '$default' },
  ],
  Allowed: [
    'AWS::Lambda::Permission',
    { Action: 'lambda:InvokeFunction', FunctionName: 'app', Principal: 'apigateway.amazonaws.com' },
  ],
  Response: ['AWS::ApiGatewayV2::RouteResponse', { ApiId: 'Api', RouteId: 'Route', RouteResponseKey: '$default' }],
});

const fixtures: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(fixtures.splice(0).map((fixture) => fixture.close()));
});

async function opened(
  options: FixtureOptions = {},
): Promise<{ fixture: SocketFixture; client: SocketClient; id: string }> {
  const fixture = await startSocketFixture(options);
  fixtures.push(fixture);
  const client = await openSocket(fixture.url);
  const { requestContext } = await fixture.event('$connect');
  return { fixture, client, id: requestContext.connectionId };
}

/** Serves an API with one route, `$default`, whose function is `invoke`. */
async function serveInProcess(
  invoke: (name: string, event: unknown) => Promise<unknown>,
  limits: Partial<Limits>,
): Promise<{ url: string; endpoint: string }> {
  const served = await startWebSocketApis({
    template: inProcess,
    functions: { invoke },
    log: () => {},
    limits,
  });
  fixtures.push(served);
  return { url: served.apis.get('Api')?.url ?? '', endpoint: served.managementEndpoint ?? '' };
}

async function disconnectEvent(fixture: SocketFixture, id: string): Promise<Record<string, unknown>> {
  const { requestContext } = await fixture.event('$disconnect', id);
  const { disconnectStatusCode: code, disconnectReason: reason, eventType } = requestContext;
  expect(eventType).toBe('DISCONNECT');
  return { code, reason };
}

describe('the end of a connection', () => {
  it('the close of the client passes its code and reason to $disconnect', async () => {
    const { fixture, client, id } = await opened();
    client.socket.close(4001, 'enough');
    expect(await disconnectEvent(fixture, id)).toEqual({ code: 4001, reason: 'enough' });
  });

  it('the close of a client without a code is 1005', async () => {
    const { fixture, client, id } = await opened();
    client.socket.close();
    expect(await disconnectEvent(fixture, id)).toEqual({
      code: 1005,
      reason: 'Client-side close frame status not set',
    });
  });

  it('the loss of a client is 1006', async () => {
    const { fixture, client, id } = await opened();
    client.socket.terminate();
    expect(await disconnectEvent(fixture, id)).toEqual({ code: 1006, reason: 'Connection closed abnormally' });
  });

  it('an idle connection is closed with 1001', async () => {
    const { fixture, client, id } = await opened({ limits: { idleMs: 100 } });
    expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' });
    expect(await disconnectEvent(fixture, id)).toEqual({ code: 1001, reason: 'Going away' });
  });

  it('a busy connection is closed with 1001 at its maximum age', async () => {
    const { client } = await opened({ limits: { lifeMs: 400 } });
    const busy = setInterval(() => client.socket.send('{"action":"quiet"}'), 50);
    expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' });
    clearInterval(busy);
  });

  it('a message over 128 KB closes the connection with 1009', async () => {
    const { fixture, client, id } = await opened();
    for (let frame = 0; frame < 5; frame++) client.socket.send('x'.repeat(30 * 1024), { fin: frame === 4 });
    expect(await client.closed).toMatchObject({ code: 1009 });
    expect(await disconnectEvent(fixture, id)).toMatchObject({ code: 1009 });
    expect(fixture.routesOf(id)).toEqual(['$connect', '$disconnect']);
  });

  it('a frame over 32 KB closes the connection with 1009 and reaches no function', async () => {
    const { fixture, client, id } = await opened();
    client.socket.send('x'.repeat(32 * 1024));
    await client.next();
    client.socket.send('x'.repeat(32 * 1024 + 1));
    expect(await client.closed).toMatchObject({ code: 1009 });
    expect(await disconnectEvent(fixture, id)).toMatchObject({ code: 1009 });
    expect(fixture.routesOf(id)).toEqual(['$connect', '$default', '$disconnect']);
  });

  it('a binary message closes the connection with 1003', async () => {
    const { fixture, client, id } = await opened();
    client.socket.send(Buffer.from('hello'));
    expect(await client.closed).toMatchObject({ code: 1003 });
    expect(await disconnectEvent(fixture, id)).toMatchObject({ code: 1003 });
    expect(fixture.routesOf(id)).not.toContain('$default');
  });
});

describe('the idle timeout of a connection', () => {
  const IDLE_MS = 1000;
  // Only the timers of this process: sockets, and with them the WebSocket library and the SDK, work in real time.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('the idle timeout restarts with a message from or to the client, but not with a ping', async () => {
    const arrivals = new EventEmitter();
    const invoke = async (_name: string, event: unknown): Promise<object> => {
      arrivals.emit('message', event);
      return { statusCode: 200 };
    };
    const { url, endpoint } = await serveInProcess(invoke, { idleMs: IDLE_MS });
    const client = await openSocket(url);

    vi.advanceTimersByTime(IDLE_MS - 1);
    const arrived = once(arrivals, 'message');
    client.socket.send('to the function');
    const [message]: SocketEvent[] = await arrived;

    vi.advanceTimersByTime(IDLE_MS - 1);
    const management = new ApiGatewayManagementApiClient(clientFor(endpoint));
    const ConnectionId = message?.requestContext.connectionId;
    await management.send(new PostToConnectionCommand({ ConnectionId, Data: 'to the client' }));
    management.destroy();
    expect(await client.next()).toBe('to the client');

    vi.advanceTimersByTime(IDLE_MS - 1);
    const pong = once(client.socket, 'pong');
    client.socket.ping();
    await pong;
    vi.advanceTimersByTime(1);
    expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' });
  });
});

describe('the close of the server', () => {
  it('the close of the server closes every connection and calls $disconnect for each', async () => {
    // Longer than the test may take: nothing is closed because a time is over.
    const { fixture, client } = await opened({ limits: { closeMs: 600_000, disconnectTimeoutMs: 600_000 } });
    const second = await openSocket(fixture.url);
    await Promise.all([fixture.stop(), fixture.stop()]);
    expect(await Promise.all([client.closed, second.closed])).toMatchObject([{ code: 1001 }, { code: 1001 }]);
    const ends = () => fixture.events.filter(({ requestContext }) => requestContext.eventType === 'DISCONNECT');
    await expect.poll(() => ends()).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ends()).toHaveLength(2);
    await expect(openSocket(fixture.url)).rejects.toThrow('ECONNREFUSED');
  });
});
