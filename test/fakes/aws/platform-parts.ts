import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type * as Kms from '@aws-sdk/client-kms';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { LambdaPlatformParts } from '../../../functions/adapters/platform/aws-lambda/parts.ts';
import type { PlatformTable } from '../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import { AwsError, fakeClient } from './aws-error.ts';
import { FakeBuilds } from './builds.ts';
import { FakeFunctions, type Program } from './functions.ts';
import { FakeLogs } from './logs.ts';
import { memoryTable } from './memory-table.ts';
import { FakeRoles } from './roles.ts';

/** The platform on AWS Lambda on fakes in memory of all services of AWS that it uses. */
export interface FakeAws {
  readonly parts: LambdaPlatformParts;
  readonly functions: FakeFunctions;
  readonly builds: FakeBuilds;
  readonly logs: FakeLogs;
  readonly roles: FakeRoles;
  readonly table: PlatformTable;
  /** The objects of the bucket. */
  readonly objects: Map<string, Buffer>;
}

/** Returns new fakes. A tarball is the JSON of a `Program`. */
export function fakeAws(): FakeAws {
  const objects = new Map<string, Buffer>();
  const logs = new FakeLogs();
  const builds = new FakeBuilds(objects, logs);
  const roles = new FakeRoles();
  const functions = new FakeFunctions((key) => programIn(objects.get(key)), roles);
  const table = memoryTable();
  const parts = {
    table,
    lambda: functions.client(),
    codeBuild: builds.client(),
    logs: logs.client(),
    iam: roles.client(),
    s3: fakeS3(objects),
    kms: fakeKms(),
    clock: { ...systemClock, sleep: (_milliseconds: number, signal?: AbortSignal) => systemClock.sleep(1, signal) },
    bucket: 'bucket',
    project: 'project',
    functionPrefix: 'stack-app',
    appRole: 'arn:aws:iam::000000000000:role/apps',
    roleBoundary: undefined,
    adapterLayer: 'arn:aws:lambda:us-east-1:753240598075:layer:LambdaAdapterLayerArm64:27',
    architecture: 'arm64' as const,
    watcher: 'arn:aws:lambda:us-east-1:000000000000:function:watch-apps',
    sealingKey: 'arn:aws:kms:us-east-1:000000000000:key/tokens',
    appTimeoutSeconds: 30,
    appConcurrency: 10,
  };
  return { parts, functions, builds, logs, roles, table, objects };
}

function programIn(bytes: Buffer | undefined): Program {
  if (!bytes) throw new AwsError('InvalidParameterValueException', 400, 'The object does not exist.');
  return JSON.parse(bytes.toString());
}

/** What sends the requests of a client. */
type S3Handler = Extract<S3ClientConfig['requestHandler'], { handle: unknown; httpHandlerConfigs: unknown }>;

/** A real client, because addresses are signed with its configuration, and the objects are in a map. */
function fakeS3(objects: Map<string, Buffer>): S3Client {
  const requestHandler: S3Handler = {
    handle: async ({ method, path, body }: { method: string; path: string; body?: unknown }) => {
      const key = decodeURIComponent(path.slice(1));
      if (method === 'PUT') objects.set(key, await bytesOf(body));
      if (method === 'DELETE') objects.delete(key);
      return { response: { statusCode: 200, headers: {}, body: Readable.from([]) } };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
  return new S3Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler,
  });
}

async function bytesOf(body: unknown): Promise<Buffer> {
  if (body instanceof Readable) return buffer(body);
  return Buffer.from(typeof body === 'string' || body instanceof Uint8Array ? body : '');
}

function fakeKms(): Kms.KMSClient {
  return fakeClient({
    EncryptCommand: ({ Plaintext = new Uint8Array(), EncryptionContext }: Kms.EncryptCommandInput) => {
      if (Plaintext.length > 4096) throw new AwsError('ValidationException', 400, 'The plaintext is too long.');
      const text = Buffer.from(Plaintext).toString('base64');
      return { CiphertextBlob: Buffer.from(JSON.stringify({ text, EncryptionContext })) };
    },
    DecryptCommand: ({ CiphertextBlob = new Uint8Array(), EncryptionContext }: Kms.DecryptCommandInput) => {
      const sealed = JSON.parse(Buffer.from(CiphertextBlob).toString());
      if (JSON.stringify(sealed.EncryptionContext) !== JSON.stringify(EncryptionContext)) {
        throw new AwsError('InvalidCiphertextException', 400);
      }
      return { Plaintext: Buffer.from(sealed.text, 'base64') };
    },
  });
}
