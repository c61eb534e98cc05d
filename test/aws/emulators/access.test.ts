import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishAwsConfig } from '../../aws-local/access/aws-config.ts';
import { signedRequest } from '../../aws-local/access/check.ts';
import { refusalOf } from '../../aws-local/access/signature.ts';
import { CREDENTIALS } from '../../aws-local/clients.ts';
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

  it.each(calls)(
    '%s takes a call that was signed with the key of this start for this body and address',
    async (name, service, call) => {
      const endpoint = endpoints[name];
      const { port } = new URL(endpoint);
      const own = await signed(endpoint, service, call);
      const evil = `evil.example:${port}`;
      const rebound = await signed(`http://${evil}`, service, call);
      const changed = {
        ...own,
        body: `${call.body} `,
        headers: { ...own.headers, 'content-length': String((call.body ?? '').length + 1) },
      };
      const rows: [Call, number, string][] = [
        [own, 200, ''],
        [call, 403, 'the request is not signed'],
        [await signed(endpoint, service, call, { secretAccessKey: 'local' }), 403, 'does not match'],
        // As a page sends it by a name that leads here.
        [{ ...call, headers: { ...rebound.headers, host: evil } }, 403, 'Host header'],
        ...(call.body === undefined ? [] : [[changed, 403, 'does not match'] as [Call, number, string]]),
      ];
      for (const [sent, status, text] of rows) {
        expect(await send(endpoint, sent)).toMatchObject({ status, text: expect.stringContaining(text) });
      }
    },
  );

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

describe('A presigned address', () => {
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const scope = { accessKeyId, secretAccessKey, region: 'us-east-1', service: 'execute-api' };
  const host = '127.0.0.1';
  const HOUR_MS = 3_600_000;

  /** Why an address that was signed in another region, or for another service, is refused some time later. */
  async function refusal(signing: object, change: (query: URLSearchParams) => void, laterMs: number) {
    const signer = new SignatureV4({ ...scope, credentials: CREDENTIALS, sha256: Sha256, ...signing });
    const unsigned = { method: 'GET', protocol: 'ws:', hostname: host, path: '/', headers: { host } };
    const { query = {} } = await signer.presign(unsigned, { expiresIn: 60 });
    const search = new URLSearchParams(query as Record<string, string>);
    change(search);
    const request = signedRequest({ method: 'GET', url: `/?${search}`, headers: { host } });
    return refusalOf(request, scope, Date.now() + laterMs);
  }
  const nothing = () => {};
  const set = (name: string, value: string) => (query: URLSearchParams) => query.set(name, value);

  it.each<[string, object, (query: URLSearchParams) => void, number, string | undefined]>([
    ['is taken', {}, nothing, 0, undefined],
    ['is refused after its expiry', {}, nothing, 61_000, 'the signature has expired'],
    ['is refused long before its date', {}, nothing, -HOUR_MS, 'the signature is not valid yet'],
    ['is refused in another region', { region: 'eu-west-1' }, nothing, 0, 'the credential is not of this key'],
    ['is refused by another service', { service: 'sqs' }, nothing, 0, 'the credential is not of this key'],
    ['is refused with a life beyond a week', {}, set('X-Amz-Expires', '604801'), 0, 'is not 1 to 604800'],
    ['is refused without the host', {}, set('X-Amz-SignedHeaders', 'date'), 0, 'does not cover the Host header'],
    ['is refused with one parameter more', {}, set('user', 'bob'), 0, 'does not match the request'],
  ])('%s', async (_, signing, change, laterMs, expected) => {
    expect(await refusal(signing, change, laterMs)).toEqual(expected && expect.stringContaining(expected));
  });
});
