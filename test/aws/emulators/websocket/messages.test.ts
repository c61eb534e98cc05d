import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSocket, type SocketClient } from '../../../support/aws-local/socket-client.ts';
import { type SocketFixture, startSocketFixture } from '../../../support/aws-local/socket-fixture.ts';

describe('a message', () => {
  let fixture: SocketFixture;
  let client: SocketClient;
  let connectionId: string;
  beforeAll(async () => {
    fixture = await startSocketFixture();
    client = await openSocket(fixture.url);
    ({ connectionId } = (await fixture.event('$connect')).requestContext);
  });
  afterAll(() => fixture.close());
  const ask = async (body: string): Promise<Record<string, unknown>> => {
    client.socket.send(body);
    return JSON.parse(await client.next());
  };

  it('a message invokes the route that it names, and the function’s body is sent back', async () => {
    const body = JSON.stringify({ action: 'register', user: 'ann' });
    expect(await ask(body)).toEqual({ routeKey: 'register', connectionId, length: body.length });
    const event = await fixture.event('register');
    expect(event).toMatchObject({
      body,
      isBase64Encoded: false,
      requestContext: {
        routeKey: 'register',
        eventType: 'MESSAGE',
        messageDirection: 'IN',
        messageId: expect.any(String),
        connectionId,
        stage: 'prod',
        apiId: 'Socket',
        identity: { sourceIp: '127.0.0.1' },
      },
    });
    expect(event).not.toHaveProperty('headers');
  });

  it.each([
    ['another action', '{"action":"other"}'],
    ['no action', '{}'],
    ['an action that is no text', '{"action":{}}'],
    ['a route of the connection’s own', '{"action":"$connect"}'],
    ['the end of the connection', '{"action":"$disconnect"}'],
    ['nothing, being no JSON', 'hello'],
    ['nothing, being no object', '[1]'],
    ['nothing, being empty', ''],
  ])('a message that names %s selects $default', async (_, body) => {
    expect(await ask(body)).toEqual({ routeKey: '$default', connectionId, length: body.length });
  });

  it('a message on a route without a response gets none', async () => {
    client.socket.send('{"action":"quiet"}');
    expect((await fixture.event('quiet')).body).toBe('{"action":"quiet"}');
    expect(await ask('next')).toMatchObject({ routeKey: '$default' });
  });

  it.each([
    ['throws', 'explode', 'Internal server error'],
    ['answers nonsense', 'nonsense', 'Internal server error'],
    ['answers more than a message holds', 'huge', 'Internal server error'],
    ['takes too long', 'linger', 'Endpoint request timed out'],
  ])('is answered by the gateway when the function %s, and the connection stays', async (_, body, message) => {
    expect(await ask(body)).toEqual({ message, connectionId, requestId: expect.any(String) });
    expect(await ask('next')).toMatchObject({ routeKey: '$default' });
  });

  it('an error of the function is sent to the client even on a route without a response', async () => {
    expect(await ask('{"action":"quiet","then":"explode"}')).toMatchObject({ message: 'Internal server error' });
  });

  it('a message does not wait for earlier ones', async () => {
    client.socket.send('linger');
    expect(await ask('next')).toMatchObject({ routeKey: '$default' });
    expect(JSON.parse(await client.next())).toMatchObject({ message: 'Endpoint request timed out' });
  });

  it('a message may consist of several frames', async () => {
    client.socket.send('a'.repeat(32 * 1024), { fin: false });
    client.socket.send('b'.repeat(32 * 1024), { fin: true });
    client.socket.send('next');
    // The two are answered by invocations beside each other, so in either order.
    const lengths = [await client.next(), await client.next()].map((answer) => JSON.parse(answer).length);
    expect(lengths.sort((a, b) => a - b)).toEqual([4, 64 * 1024]);
  });

  it('a ping gets a pong', async () => {
    const pong = new Promise((resolve) => client.socket.once('pong', (data) => resolve(data.toString())));
    client.socket.ping('there?');
    expect(await pong).toBe('there?');
  });
});

describe('an API without $default, $connect and $disconnect', () => {
  it('an API without $default, $connect and $disconnect accepts everyone and refuses messages without a route', async () => {
    const left = { OnConnect: undefined, OnDisconnect: undefined, OnDefault: undefined, DefaultResponse: undefined };
    const fixture = await startSocketFixture({ resources: left });
    const client = await openSocket(fixture.url);
    client.socket.send('hello');
    const ids = { connectionId: expect.any(String), requestId: expect.any(String) };
    expect(JSON.parse(await client.next())).toEqual({ message: 'Forbidden', ...ids });
    client.socket.close();
    await client.closed;
    await fixture.close();
    expect(fixture.events).toEqual([]);
  });
});
