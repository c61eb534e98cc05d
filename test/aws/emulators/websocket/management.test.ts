import {
  ApiGatewayManagementApiClient,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { openSocket, type SocketClient } from '../../../support/aws-local/socket-client.ts';
import { type SocketFixture, startSocketFixture } from '../../../support/aws-local/socket-fixture.ts';

describe('the management API, called by the SDK', () => {
  let fixture: SocketFixture;
  beforeAll(async () => {
    fixture = await startSocketFixture();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    fixture.events.length = 0;
  });
  const open = async (query = ''): Promise<SocketClient & { id: string }> => {
    const client = await openSocket(`${fixture.url}/${query}`);
    client.socket.send('who am I?');
    const { connectionId } = JSON.parse(await client.next());
    return { ...client, id: connectionId };
  };
  const post = (id: string, Data: string | Uint8Array, client = fixture.client) =>
    client.send(new PostToConnectionCommand({ ConnectionId: id, Data }));

  it('PostToConnection sends a text message to the client', async () => {
    const client = await open();
    const text = new Promise((resolve) => client.socket.once('message', (_, isBinary) => resolve(!isBinary)));
    await post(client.id, Buffer.from('{"last":7}'));
    expect(await client.next()).toBe('{"last":7}');
    expect(await text).toBe(true);
    client.socket.close();
  });

  it('messages of PostToConnection keep their order', async () => {
    const client = await open();
    for (let n = 0; n < 20; n++) await post(client.id, String(n));
    const got = [];
    for (let n = 0; n < 20; n++) got.push(Number(await client.next()));
    expect(got).toEqual([...Array(20).keys()]);
    client.socket.close();
  });

  it('the management API also has the path of a stage', async () => {
    const client = await open();
    const staged = new ApiGatewayManagementApiClient(clientFor(`${fixture.endpoint}/prod`));
    await post(client.id, 'hello', staged);
    expect(await client.next()).toBe('hello');
    staged.destroy();
    client.socket.close();
  });

  it('a closed or unknown connection is a GoneException', async () => {
    const client = await open();
    client.socket.close();
    await client.closed;
    for (const id of [client.id, 'L0SM9cOFvHcCIhw=', 'a/b', '%']) {
      await expect(post(id, 'hello')).rejects.toBeInstanceOf(GoneException);
    }
  });

  it('a connection is a GoneException until $connect has accepted it', async () => {
    const opening = openSocket(`${fixture.url}/?wait=300`);
    const { connectionId } = (await fixture.event('$connect')).requestContext;
    await expect(post(connectionId, 'early')).rejects.toBeInstanceOf(GoneException);
    const client = await opening;
    await post(connectionId, 'in time');
    expect(await client.next()).toBe('in time');
    client.socket.close();
  });

  it('PostToConnection accepts a message of 128 KB and no larger one', async () => {
    const client = await open();
    await post(client.id, Buffer.alloc(128 * 1024, 'x'));
    expect(await client.next()).toHaveLength(128 * 1024);
    for (const size of [128 * 1024 + 1, 11 * 1024 * 1024]) {
      await expect(post(client.id, Buffer.alloc(size, 'x'))).rejects.toBeInstanceOf(PayloadTooLargeException);
    }
    client.socket.close();
  });

  it('the management API refuses unsigned requests and other methods', async () => {
    const client = await open();
    const address = `${fixture.endpoint}/@connections/${encodeURIComponent(client.id)}`;
    const unsigned = await fetch(address, { method: 'POST', body: 'hello' });
    expect([unsigned.status, await unsigned.json()]).toEqual([403, { message: 'Missing Authentication Token' }]);
    const headers = { authorization: 'AWS4-HMAC-SHA256' };
    expect((await fetch(address, { method: 'PUT', headers, body: 'hello' })).status).toBe(403);
    client.socket.close();
  });

  it('the management API refuses a signature with another key, and another Host', async () => {
    const client = await open();
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const stranger = new ApiGatewayManagementApiClient({ ...clientFor(fixture.endpoint), credentials });
    await expect(post(client.id, 'hello', stranger)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    const rebound = new ApiGatewayManagementApiClient(clientFor(fixture.endpoint));
    rebound.middlewareStack.add(
      (next) => (args) => {
        Object.assign(Object(args.request).headers, { host: 'evil.example' });
        return next(args);
      },
      { step: 'build', priority: 'low' },
    );
    await expect(post(client.id, 'hello', rebound)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    for (const one of [stranger, rebound]) one.destroy();
    client.socket.close();
  });

  it('a plain HTTP request gets 426 Upgrade Required', async () => {
    const response = await fetch(fixture.endpoint);
    expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket']);
  });
});
