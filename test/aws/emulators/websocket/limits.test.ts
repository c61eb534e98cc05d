import { once } from 'node:events';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSocket, type SocketClient } from '../../../support/aws-local/socket-client.ts';
import {
  type FixtureOptions,
  type SocketFixture,
  startSocketFixture,
} from '../../../support/aws-local/socket-fixture.ts';

const fixtures: SocketFixture[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(fixtures.splice(0).map((fixture) => fixture.close()));
});

async function opened(options: FixtureOptions = {}) {
  const fixture = await startSocketFixture(options);
  fixtures.push(fixture);
  const client = await openSocket(fixture.url);
  const { requestContext } = await fixture.event('$connect');
  return { fixture, client, id: requestContext.connectionId };
}

const away = { code: 1001, reason: 'Going away' };
const KB = 1024;

describe('the end of a connection', () => {
  it.each<[title: string, end: (socket: SocketClient['socket']) => void, code: number, reason: string]>([
    ['the close of the client passes its code and reason', (socket) => socket.close(4001, 'enough'), 4001, 'enough'],
    ['its close without a code', (socket) => socket.close(), 1005, 'Client-side close frame status not set'],
    ['its loss', (socket) => socket.terminate(), 1006, 'Connection closed abnormally'],
    ['a binary message', (socket) => socket.send(Buffer.from('x')), 1003, 'Binary frames are not supported'],
    ['a frame over 32 KB', (socket) => socket.send('x'.repeat(32 * KB + 1)), 1009, 'Frame too long'],
    [
      'a message over 128 KB',
      (socket) => {
        for (let frame = 0; frame < 5; frame++) socket.send('x'.repeat(30 * KB), { fin: frame === 4 });
      },
      1009,
      '',
    ],
  ])('%s is told to $disconnect, and nothing else is called', async (_, end, code, reason) => {
    const { fixture, client, id } = await opened();
    end(client.socket);
    const { requestContext } = await fixture.event('$disconnect', id);
    const told = { disconnectStatusCode: code, disconnectReason: reason, eventType: 'DISCONNECT' };
    expect(requestContext).toMatchObject(told);
    expect(fixture.routesOf(id)).toEqual(['$connect', '$disconnect']);
  });

  it('a frame of 32 KB is a message', async () => {
    const { client } = await opened();
    client.socket.send('x'.repeat(32 * KB));
    expect(JSON.parse(await client.next())).toMatchObject({ length: 32 * KB });
  });

  it('a busy connection is closed with 1001 at its maximum age', async () => {
    const { client } = await opened({ limits: { lifeMs: 400 } });
    const busy = setInterval(() => client.socket.send('{"action":"quiet"}'), 50);
    expect(await client.closed).toEqual(away);
    clearInterval(busy);
  });

  it('an idle one is closed with 1001, which messages from and to the client put off, and pings do not', async () => {
    // Only the timers of this process: sockets, and with them the WebSocket library and the SDK, work in real time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const IDLE_MS = 1000;
    const fixture = await startSocketFixture({ limits: { idleMs: IDLE_MS } });
    fixtures.push(fixture);
    const client = await openSocket(fixture.url);
    vi.advanceTimersByTime(IDLE_MS - 1);
    client.socket.send('to the function');
    const { connectionId: ConnectionId } = JSON.parse(await client.next());
    vi.advanceTimersByTime(IDLE_MS - 1);
    await fixture.client.send(new PostToConnectionCommand({ ConnectionId, Data: 'to the client' }));
    expect(await client.next()).toBe('to the client');
    vi.advanceTimersByTime(IDLE_MS - 1);
    const pong = once(client.socket, 'pong');
    client.socket.ping();
    await pong;
    vi.advanceTimersByTime(1);
    expect(await client.closed).toEqual(away);
  });

  it('the close of the server closes every connection and calls $disconnect for each', async () => {
    // Longer than the test may take: nothing is closed because a time is over.
    const { fixture, client } = await opened({ limits: { closeMs: 600_000, disconnectTimeoutMs: 600_000 } });
    const second = await openSocket(fixture.url);
    await fixture.close();
    expect(await Promise.all([client.closed, second.closed])).toEqual([away, away]);
    const ends = fixture.events.filter(({ requestContext }) => requestContext.eventType === 'DISCONNECT');
    expect(ends).toHaveLength(2);
  });
});
