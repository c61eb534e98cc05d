import type { IncomingMessage } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presign } from '../../../../../functions/adapters/signals/presign.ts';
import { signedRequest } from '../../../../aws-local/access/check.ts';
import { refusalOf } from '../../../../aws-local/access/signature.ts';
import { type HttpServer, httpServer } from '../../../../support/service/http-server.ts';

const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret-canary' };
const scope = { ...keys, region: 'eu-west-1', service: 'execute-api' };
const signing = (sessionToken?: string) =>
  new DynamoDBClient({
    credentials: { ...keys, ...(sessionToken !== undefined && { sessionToken }) },
    region: 'eu-west-1',
  }).config;

/** The local WebSocket API verifies what arrives, as API Gateway would. */
describe('a presigned WebSocket address', () => {
  let server: HttpServer;
  let origin: string;
  let seen: IncomingMessage | undefined;
  beforeAll(async () => {
    server = await httpServer((message, response) => {
      seen = message;
      response.end();
    });
    origin = new URL(server.url).host;
  });
  afterAll(() => server.close());

  /** Calls an address as the socket would be, and verifies it as it arrived. */
  async function verify(address: string, now = Date.now()): Promise<Record<string, string | string[]>> {
    await fetch(address.replace(/^ws/, 'http'));
    if (!seen) throw new Error('Nothing arrived.');
    const request = signedRequest(seen);
    const refusal = await refusalOf(request, scope, now);
    if (refusal !== undefined) throw new Error(refusal);
    return { ...request.query };
  }

  it.each(['ann', 'Ånn O’Neil', "a'b(c)*!~", 'a+b&c=d%20/?#', '日本'])('has the user %j in its query', async (user) => {
    expect(await verify(await presign(`ws://${origin}/live`, { user }, signing()))).toMatchObject({ user });
  });

  it('has the session token of a function’s credentials, covered by the signature', async () => {
    const address = await presign(`ws://${origin}/`, { user: 'ann' }, signing('token/with+signs=='));
    expect(await verify(address)).toMatchObject({ 'X-Amz-Security-Token': 'token/with+signs==' });
    await expect(verify(address.replace('token%2Fwith', 'token%2Fother'))).rejects.toThrow('does not match');
  });

  it('is valid for no other user, host or path', async () => {
    const address = await presign(`ws://${origin}/live`, { user: 'eve' }, signing());
    await expect(verify(address.replace('user=eve', 'user=ann'))).rejects.toThrow('does not match');
    await expect(verify(`${address}&user=ann`)).rejects.toThrow('does not match');
    await expect(verify(address.replace('/live', '/other'))).rejects.toThrow('does not match');
    await expect(verify(address.replace('127.0.0.1', 'localhost'))).rejects.toThrow('does not match');
  });

  it('expires after a minute', async () => {
    const address = await presign(`ws://${origin}/`, { user: 'ann' }, signing());
    await verify(address, Date.now() + 30_000);
    await expect(verify(address, Date.now() + 70_000)).rejects.toThrow('expired');
  });

  it('does not contain the secret access key', async () => {
    expect(await presign(`ws://${origin}/`, { user: 'ann' }, signing())).not.toContain('canary');
  });
});
