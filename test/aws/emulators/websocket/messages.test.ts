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

  it('a message invokes the route that it names, which sends nothing back without a response', async () => {
    const body = JSON.stringify({ action: 'quiet', user: 'ann' });
    client.socket.send(body);
    const event = await fixture.event('quiet');
    expect(event).toMatchObject({
      body,
      isBase64Encoded: false,
      requestContext: {
        routeKey: 'quiet',
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
    expect(await ask('next')).toMatchObject({ routeKey: '$default' });
  });

  it.each([
    ['another action', '{"action":"other"}'],
    ['an action that is no text', '{"action":{}}'],
    ['a route of the connection’s own', '{"action":"$connect"}'],
    ['nothing, being no JSON', 'hello'],
    ['nothing, being no object', '[1]'],
    ['nothing, being empty', ''],
  ])('a message that names %s selects $default, whose body is sent back', async (_, body) => {
    expect(await ask(body)).toEqual({ routeKey: '$default', connectionId, length: body.length });
  });

  it.each([
    ['throws', 'explode', 'Internal server error'],
    ['throws on a route without a response', '{"action":"quiet","then":"explode"}', 'Internal server error'],
    ['answers nonsense', 'nonsense', 'Internal server error'],
    ['answers more than a message holds', 'huge', 'Internal server error'],
    ['takes too long', 'linger', 'Endpoint request timed out'],
  ])('is answered by the gateway when the function %s, and the connection stays', async (_, body, message) => {
    expect(await ask(body)).toEqual({ message, connectionId, requestId: expect.any(String) });
    expect(await ask('next')).toMatchObject({ routeKey: '$default' });
  });

  it('a message does not wait for earlier ones', async () => {
    client.socket.send('linger');
    expect(await ask('next')).toMatchObject({ routeKey: '$default' });
    expect(JSON.parse(await client.next())).toMatchObject({ message: 'Endpoint request timed out' });
  });
});
