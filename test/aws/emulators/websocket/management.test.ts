import {
  ApiGatewayManagementApiClient,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { presign } from '../../../../functions/adapters/signals/presign.ts';
import { clientFor } from '../../../aws-local/clients.ts';
import { openGuard } from '../../../aws-local/permissions/guard.ts';
import { openSocket, refusedSocket, type SocketClient } from '../../../support/aws-local/socket-client.ts';
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
  const open = async (): Promise<SocketClient & { id: string }> => {
    const client = await openSocket(fixture.url);
    return { ...client, id: (await fixture.event('$connect')).requestContext.connectionId };
  };
  const post = (id: string, Data: string | Uint8Array, { client } = fixture) =>
    client.send(new PostToConnectionCommand({ ConnectionId: id, Data }));

  it('PostToConnection sends a text message of 128 KB at most to the client', async () => {
    const client = await open();
    const text = new Promise((resolve) => client.socket.once('message', (_, isBinary) => resolve(!isBinary)));
    await post(client.id, Buffer.alloc(128 * 1024, 'x'));
    expect(await client.next()).toHaveLength(128 * 1024);
    expect(await text).toBe(true);
    for (const size of [128 * 1024 + 1, 11 * 1024 * 1024]) {
      await expect(post(client.id, Buffer.alloc(size, 'x'))).rejects.toBeInstanceOf(PayloadTooLargeException);
    }
    client.socket.close();
  });

  it('a closed connection, an unknown one and one of another API are a GoneException', async () => {
    const client = await open();
    const other = await startSocketFixture();
    await expect(post(client.id, 'hello', other)).rejects.toBeInstanceOf(GoneException);
    await other.close();
    client.socket.close();
    await client.closed;
    for (const id of [client.id, 'L0SM9cOFvHcCIhw=', 'a/b']) {
      await expect(post(id, 'hello')).rejects.toBeInstanceOf(GoneException);
    }
  });

  it('a connection is a GoneException until $connect has accepted it', async () => {
    const opening = openSocket(`${fixture.url}/?wait=0.3`);
    const { connectionId } = (await fixture.event('$connect')).requestContext;
    await expect(post(connectionId, 'early')).rejects.toBeInstanceOf(GoneException);
    const client = await opening;
    await post(connectionId, 'in time');
    expect(await client.next()).toBe('in time');
    client.socket.close();
  });

  it('an unsigned request and other methods are refused', async () => {
    const address = `${fixture.endpoint}/@connections/${encodeURIComponent('L0SM9cOFvHcCIhw=')}`;
    const unsigned = await fetch(address, { method: 'POST', body: 'hello' });
    expect([unsigned.status, await unsigned.json()]).toEqual([403, { message: 'Missing Authentication Token' }]);
    const headers = { authorization: 'AWS4-HMAC-SHA256' };
    expect((await fetch(address, { method: 'PUT', headers, body: 'hello' })).status).toBe(403);
  });
});

describe('a WebSocket API and the roles of functions', () => {
  const stage = 'arn:aws:execute-api:us-east-1:000000000000:Socket/prod';
  const principal = (name: string, action: string, resource: string) => ({
    accessKeyId: name,
    secretAccessKey: `secret of ${name}`,
    sessionToken: `token of ${name}`,
    role: name,
    arn: `arn:aws:sts::000000000000:assumed-role/${name}/fn`,
    statements: [{ effect: 'Allow' as const, actions: [action], resources: [resource], conditions: [] }],
  });
  const reader = principal('Reader', 'execute-api:Invoke', `${stage}/$connect`);
  const poster = principal('Poster', 'execute-api:ManageConnections', `${stage}/POST/@connections/*`);

  it('a function connects and posts as far as its role allows', async () => {
    const guard = openGuard([reader, poster]);
    const fixture = await startSocketFixture({ connect: { AuthorizationType: 'AWS_IAM' }, guard });
    const as = (credentials: typeof reader) =>
      new ApiGatewayManagementApiClient({ ...clientFor(fixture.endpoint), credentials });
    const signed = (credentials: typeof reader) => presign(`${fixture.url}/`, {}, as(credentials).config);
    const client = await openSocket(await signed(reader));
    const { requestContext } = await fixture.event('$connect');
    expect(requestContext.identity).toMatchObject({ accessKey: 'Reader', userArn: reader.arn });
    const refused = await refusedSocket(await signed(poster));
    const because = `because no identity-based policy allows the execute-api:Invoke action`;
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `User: ${poster.arn} is not authorized to perform: execute-api:Invoke on resource: ${stage}/$connect ${because}`,
    ]);
    const post = new PostToConnectionCommand({ ConnectionId: requestContext.connectionId, Data: 'hello' });
    await as(poster).send(post);
    expect(await client.next()).toBe('hello');
    const denied = { name: 'AccessDeniedException', $metadata: { httpStatusCode: 403 } };
    await expect(as(reader).send(post)).rejects.toMatchObject(denied);
    client.socket.terminate();
    await fixture.close();
  });
});
