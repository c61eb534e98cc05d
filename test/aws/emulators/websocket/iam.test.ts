import { ApiGatewayManagementApiClient, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIALS, clientFor } from '../../../aws-local/clients.ts';
import { openGuard } from '../../../aws-local/permissions/guard.ts';
import { openSocket, refusedSocket } from '../../../support/aws-local/socket-client.ts';
import { type SocketFixture, startSocketFixture } from '../../../support/aws-local/socket-fixture.ts';

const signer = (more: object = {}): SignatureV4 =>
  new SignatureV4({
    service: 'execute-api',
    region: 'us-east-1',
    credentials: CREDENTIALS,
    sha256: Sha256,
    ...more,
  });

function unsigned(address: string) {
  const { host, hostname, port, pathname: path, searchParams } = new URL(address);
  const query = Object.fromEntries(searchParams);
  return { method: 'GET', protocol: 'ws:', hostname, port: Number(port), path, query, headers: { host } };
}

/** The address as functions of the service presign it. */
async function presign(address: string, signed = signer(), options: { expiresIn?: number; signingDate?: Date } = {}) {
  const { query } = await signed.presign(unsigned(address), { expiresIn: 60, ...options });
  const url = new URL(address);
  url.search = Object.entries(query ?? {})
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  return url.href;
}

describe('a handshake that IAM authorizes', () => {
  let fixture: SocketFixture;
  beforeAll(async () => {
    fixture = await startSocketFixture({ connect: { AuthorizationType: 'AWS_IAM' } });
  });
  afterAll(() => fixture.close());

  it('a presigned handshake is accepted, and its events have the caller', async () => {
    const { socket } = await openSocket(await presign(`${fixture.url}/?user=${encodeURIComponent("a b/ü'*")}`));
    socket.terminate();
    const { requestContext, queryStringParameters } = await fixture.event('$connect');
    expect(queryStringParameters?.user).toBe("a b/ü'*");
    expect(requestContext.identity).toMatchObject({
      sourceIp: '127.0.0.1',
      accessKey: 'local',
      accountId: '000000000000',
      userArn: 'arn:aws:iam::000000000000:user/local',
    });
  });

  it('a presigned handshake is accepted on the path of the stage and with a session token', async () => {
    const credentials = { ...CREDENTIALS, sessionToken: 'a/b+c=' };
    const { socket } = await openSocket(await presign(`${fixture.url}/prod`, signer({ credentials })));
    socket.terminate();
  });

  it('a handshake that is signed in the header is accepted', async () => {
    const { headers } = await signer().sign(unsigned(`${fixture.url}/`));
    const { host: _, ...signed } = headers;
    const { socket } = await openSocket(fixture.url, { headers: signed });
    socket.terminate();
  });

  it('an unsigned handshake is refused', async () => {
    const { status, body } = await refusedSocket(fixture.url);
    expect({ status, message: body.message }).toEqual({ status: 403, message: 'Missing Authentication Token' });
  });

  it.each([
    ['with another secret', { credentials: { ...CREDENTIALS, secretAccessKey: 'local' } }],
    ['with another access key', { credentials: { ...CREDENTIALS, accessKeyId: 'other' } }],
    ['for another service', { service: 'sqs' }],
    ['for another region', { region: 'eu-west-1' }],
  ])('is refused when it is signed %s', async (_, settings) => {
    const { status, body } = await refusedSocket(await presign(`${fixture.url}/`, signer(settings)));
    expect({ status, message: body.message }).toEqual({ status: 403, message: 'Forbidden' });
  });

  it.each([
    ['one parameter more', (url: URL) => url.searchParams.set('user', 'bob')],
    ['a longer life', (url: URL) => url.searchParams.set('X-Amz-Expires', '3600')],
    ['another path', (url: URL) => Object.assign(url, { pathname: '/prod' })],
    ['another signature', (url: URL) => url.searchParams.set('X-Amz-Signature', '0'.repeat(64))],
    ['no signature', (url: URL) => url.searchParams.delete('X-Amz-Signature')],
    ['no host among what is signed', (url: URL) => url.searchParams.set('X-Amz-SignedHeaders', 'user-agent')],
    ['a life beyond a week', (url: URL) => url.searchParams.set('X-Amz-Expires', '604801')],
  ])('is refused when the address got %s', async (_, change) => {
    const url = new URL(await presign(`${fixture.url}/`));
    change(url);
    expect((await refusedSocket(url.href)).status).toBe(403);
  });

  it('a presigned handshake is refused after its expiry and before its date', async () => {
    const at = (seconds: number) => ({ signingDate: new Date(Date.now() + seconds * 1000) });
    expect((await refusedSocket(await presign(`${fixture.url}/`, signer(), at(-62)))).status).toBe(403);
    expect((await refusedSocket(await presign(`${fixture.url}/`, signer(), at(600)))).status).toBe(403);
    const { socket } = await openSocket(await presign(`${fixture.url}/`, signer(), at(-50)));
    socket.terminate();
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
  let fixture: SocketFixture;
  beforeAll(async () => {
    const guard = openGuard([reader, poster]);
    fixture = await startSocketFixture({ connect: { AuthorizationType: 'AWS_IAM' }, guard });
  });
  afterAll(() => fixture.close());

  it('a function connects, posts and reads as far as its role allows', async () => {
    const client = await openSocket(await presign(`${fixture.url}/`, signer({ credentials: reader })));
    const { requestContext } = await fixture.event('$connect');
    expect(requestContext.identity).toMatchObject({ accessKey: 'Reader', userArn: reader.arn });
    const refused = await refusedSocket(await presign(`${fixture.url}/`, signer({ credentials: poster })));
    const because = `because no identity-based policy allows the execute-api:Invoke action`;
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `User: ${poster.arn} is not authorized to perform: execute-api:Invoke on resource: ${stage}/$connect ${because}`,
    ]);
    const ConnectionId = requestContext.connectionId;
    const as = (credentials: typeof reader) =>
      new ApiGatewayManagementApiClient({ ...clientFor(fixture.endpoint), credentials });
    await as(poster).send(new PostToConnectionCommand({ ConnectionId, Data: 'hello' }));
    expect(await client.next()).toBe('hello');
    const denied = { name: 'AccessDeniedException', $metadata: { httpStatusCode: 403 } };
    const post = new PostToConnectionCommand({ ConnectionId, Data: 'hello' });
    await expect(as(reader).send(post)).rejects.toMatchObject(denied);
    client.socket.terminate();
  });

  it('a key without its session token is refused', async () => {
    const { sessionToken: _, ...credentials } = reader;
    const { status } = await refusedSocket(await presign(`${fixture.url}/`, signer({ credentials })));
    expect(status).toBe(403);
  });
});
