import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishAwsConfig } from '../../aws-local/access/aws-config.ts';
import { CREDENTIALS, clientFor } from '../../aws-local/clients.ts';
import { startEmulators } from '../../aws-local/emulators/emulators.ts';
import { kmsService } from '../../aws-local/emulators/kms.ts';
import { secretsService } from '../../aws-local/emulators/secrets.ts';
import { startWireEndpoint } from '../../aws-local/wire/endpoint.ts';
import { newFolder } from '../../support/new-folder.ts';

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Name = 'dynamodb' | 'sqs' | 's3' | 'kms' | 'secretsManager';

/** A call to each emulator that needs no other before it. */
const calls: readonly (readonly [Name, string, Call])[] = [
  ['dynamodb', 'dynamodb', json('DynamoDB_20120810.ListTables', '1.0')],
  ['sqs', 'sqs', json('AmazonSQS.ListQueues', '1.0')],
  ['s3', 's3', { method: 'GET' }],
  ['kms', 'kms', json('TrentService.Encrypt', '1.1', { KeyId: 'Key', Plaintext: 'aGVsbG8=' })],
  ['secretsManager', 'secretsmanager', json('secretsmanager.GetSecretValue', '1.1', { SecretId: 'given' })],
];

function json(target: string, version: string, input: object = {}): Call {
  const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target };
  return { method: 'POST', headers, body: JSON.stringify(input) };
}

// `fetch` does not send another Host header than that of the address.
async function send(endpoint: string, { method = 'GET', path = '/', headers = {}, body = '' }: Call) {
  const { hostname, port, host } = new URL(endpoint);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const all = { host, ...(method === 'POST' ? length : {}), ...headers };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers: all, agent: false }, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, text: await text(answer) }),
    );
    asked.once('error', reject).end(body);
  });
}

/** The headers of a call that is signed as the AWS CLI does it: without the hash of the body among them. */
async function signed(endpoint: string, service: string, call: Call, credentials: object = CREDENTIALS) {
  const { host } = new URL(endpoint);
  const signer = new SignatureV4({
    credentials: { ...CREDENTIALS, ...credentials },
    region: 'eu-central-1',
    service,
    sha256: Sha256,
    applyChecksum: service === 's3',
    uriEscapePath: service !== 's3',
  });
  const { method = 'GET', path = '/', headers = {}, body } = call;
  const unsigned = { method, protocol: 'http:', hostname: host, path, headers: { host, ...headers }, body };
  return { ...call, headers: (await signer.sign(unsigned)).headers };
}

describe('Who may use the emulators', () => {
  const folder = newFolder('access');
  let endpoints: Record<Name, string>;
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const emulators = await startEmulators();
    const security = await startWireEndpoint([kmsService(), secretsService(new Map([['given', 'chosen']]))], () => {});
    endpoints = { ...emulators.endpoints, kms: security.endpoint, secretsManager: security.endpoint };
    closers.push(emulators.close, security.close);
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });

  it.each(calls)('%s refuses a call without a signature', async (name, _service, call) => {
    const answer = await send(endpoints[name], call);
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('the request is not signed') });
  });

  it.each(calls)('%s refuses a call that is signed with the key of another start', async (name, service, call) => {
    const endpoint = endpoints[name];
    const answer = await send(endpoint, await signed(endpoint, service, call, { secretAccessKey: 'local' }));
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('does not match') });
  });

  it.each(calls)(
    '%s refuses another Host, as a page sends it by a name that leads here',
    async (name, service, call) => {
      const { port } = new URL(endpoints[name]);
      const endpoint = `http://evil.example:${port}`;
      const { headers } = await signed(endpoint, service, call);
      const answer = await send(endpoints[name], {
        ...call,
        headers: { ...headers, host: `evil.example:${port}` },
      });
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('Host header') });
    },
  );

  it.each(calls)('%s takes a call that is signed with the key of this start', async (name, service, call) => {
    const endpoint = endpoints[name];
    expect(await send(endpoint, await signed(endpoint, service, call))).toMatchObject({ status: 200 });
  });

  it.each(calls)('%s refuses a signature that was made for another body', async (name, service, call) => {
    if (call.body === undefined) return;
    const endpoint = endpoints[name];
    const { headers } = await signed(endpoint, service, call);
    const length = { 'content-length': String(Buffer.byteLength(`${call.body} `)) };
    const answer = await send(endpoint, { ...call, headers: { ...headers, ...length }, body: `${call.body} ` });
    expect(answer.status).toBe(403);
  });

  it('a presigned address of an object can be read until it expires, and leads to no other', async () => {
    const client = new S3Client({ ...clientFor(endpoints.s3), forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: 'presigned' }));
    for (const Key of ['a b/ü', 'other'])
      await client.send(new PutObjectCommand({ Bucket: 'presigned', Key, Body: Key }));
    const { config } = client;
    client.destroy();
    const signer = new SignatureV4({
      ...config,
      service: 's3',
      sha256: Sha256,
      uriEscapePath: false,
      region: 'us-east-1',
    });
    const { host } = new URL(endpoints.s3);
    const path = '/presigned/a%20b/%C3%BC';
    const headers = { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const request = { method: 'GET', protocol: 'http:', hostname: host, path, headers };
    const address = async (options: object) => {
      const unsignableHeaders = new Set(['x-amz-content-sha256']);
      const unhoistableHeaders = unsignableHeaders;
      const { query = {} } = await signer.presign(request, {
        expiresIn: 60,
        unsignableHeaders,
        unhoistableHeaders,
        ...options,
      });
      return `?${Object.entries(query)
        .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
        .join('&')}`;
    };
    const query = await address({});
    expect(await send(endpoints.s3, { path: `${path}${query}` })).toEqual({ status: 200, text: 'a b/ü' });
    expect(await send(endpoints.s3, { path: `/presigned/other${query}` })).toMatchObject({ status: 403 });
    const late = await address({ signingDate: new Date(Date.now() - 120_000) });
    expect(await send(endpoints.s3, { path: `${path}${late}` })).toMatchObject({ status: 403 });
  });

  it('the AWS CLI and each SDK find addresses and key in a file that only its owner can read', async () => {
    const file = join(folder, 'config');
    await publishAwsConfig(file, { ...endpoints, lambda: '', codeBuild: '', logs: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const script = `
      const { DynamoDBClient, ListTablesCommand } = await import('@aws-sdk/client-dynamodb');
      const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
      await new DynamoDBClient().send(new ListTablesCommand());
      const { SecretString } = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: 'given' }));
      console.log(SecretString);`;
    const env = { PATH: process.env.PATH, HOME: folder, AWS_CONFIG_FILE: file };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    expect(stdout).toBe('chosen\n');
  });
});
