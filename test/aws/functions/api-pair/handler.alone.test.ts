import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CREDENTIALS } from '../../../aws-local/clients.ts';
import { startDynamoDb } from '../../../aws-local/emulators/dynamodb.ts';
import { kmsService } from '../../../aws-local/emulators/kms.ts';
import { secretsService } from '../../../aws-local/emulators/secrets.ts';
import { startWireEndpoint } from '../../../aws-local/wire/endpoint.ts';
import { createLogTables, emulatorClient } from '../../../support/dynamodb-table.ts';
import { context } from '../../../support/events/aws-events.ts';
import { gatewayEvent, type PairRequest } from '../../../support/events/gateway-event.ts';
import type { Forge } from '../../../support/hosts/forge.ts';
import { giteaForge } from '../../../support/hosts/gitea-forge.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { startInProcess } from '../../../support/platform/in-process.ts';

const canary = 'canary:pass wörd-91c2f7';
const serviceToken = 'service-token-of-the-test';
const levels = ['log', 'info', 'warn', 'error', 'debug'] as const;

describe('the function api-pair, on the local services', () => {
  const written: unknown[] = [];
  const answers: unknown[] = [];
  const close: (() => Promise<unknown>)[] = [];
  let folder: string;
  let forge: Forge;
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  let stopPlatform: () => Promise<void>;
  let ask: (request: PairRequest) => Promise<{ statusCode: number; body: string }>;

  beforeAll(async () => {
    folder = newFolder('pair');
    database = await startDynamoDb();
    const aws = await startWireEndpoint(
      [kmsService(), secretsService(new Map([['platform', serviceToken]]))],
      () => {},
    );
    const platform = await startInProcess({ dataDir: join(folder, 'platform'), serviceToken });
    forge = await giteaForge(new Map([['octo', canary]]));
    close.push(() => database.close(), aws.close, platform.close, forge.close);
    stopPlatform = platform.close;
    await platform.ensureUser({ user: 'kiwi', password: 'kiwi-password' });
    await createLogTables(emulatorClient(database.endpoint));
    for (const [name, value] of Object.entries({
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_KMS: aws.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.endpoint,
      LOG_TABLE: 'log',
      TOKEN_KEY: 'TokenKey',
      PLATFORM: 'http',
      PLATFORM_URL: platform.url,
      PLATFORM_SECRET: 'platform',
      REPOSITORY_HOSTS: JSON.stringify([
        { name: 'forge', kind: 'forgejo', api: `${forge.url}/api/v1`, web: forge.url },
      ]),
    })) {
      vi.stubEnv(name, value);
    }
    for (const level of levels) vi.spyOn(console, level).mockImplementation((...words) => void written.push(words));
    const { handler } = await import('../../../../functions/api-pair/handler.ts');
    ask = async (request) => {
      const answer = await handler(gatewayEvent(request), context);
      answers.push(answer);
      return answer;
    };
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const one of close) await one();
  });

  const send = (credentials: string, more: PairRequest = {}) => ask({ body: JSON.stringify({ credentials }), ...more });

  it('exchanges the password for a token and stores the token sealed', async () => {
    const { statusCode, body } = await send(`octo:${canary}`);
    expect(statusCode).toBe(201);
    expect(JSON.parse(body)).toEqual({
      host: 'forge',
      login: 'octo',
      app: '*',
      scopes: ['read:user', 'write:repository'],
      expires_at: null,
    });
    const { Items = [] } = await emulatorClient(database.endpoint).send(new ScanCommand({ TableName: 'log' }));
    expect(Items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)).toEqual(['kiwi T#forge#*']);
    expect(JSON.parse(Items[0]?.doc?.S ?? '{}')).toMatchObject({ sealed: expect.stringMatching(/^v1\.kms\./) });
  });

  it('lists the pairing in the next request, and refuses a wrong password', async () => {
    expect(JSON.parse((await ask({ method: 'GET' })).body).pairings).toHaveLength(1);
    expect((await send(`octo:not-the-${canary}`)).statusCode).toBe(401);
    expect((await send(`${canary}:${canary}`, { app: 'hello' })).statusCode).toBe(401);
    expect((await send(canary.replace(':', ''))).statusCode).toBe(400);
    expect((await ask({ body: `{"credentials": "octo:${canary}` })).statusCode).toBe(400);
    expect((await send(`octo:${canary}`, { app: 'hello' })).statusCode).toBe(201);
    await database.close();
    expect((await send(`octo:${canary}`)).statusCode).toBe(500);
    await stopPlatform();
    expect((await send(`octo:${canary}`)).statusCode).toBe(500);
  });

  it('writes neither the password nor a token into a response, the log or a file', async () => {
    const made = [...forge.tokens.keys()];
    expect(made.length).toBeGreaterThanOrEqual(2);
    const files = await Promise.all((await filesIn(folder)).map((path) => readFile(path)));
    expect(files.length).toBeGreaterThan(0);
    expect(written.length).toBeGreaterThan(0);
    for (const secret of [canary, ...made, serviceToken]) {
      expect(JSON.stringify([answers, written]).includes(secret)).toBe(false);
      const holders = files.filter((bytes) => bytes.includes(secret) || bytes.includes(JSON.stringify(secret)));
      expect(holders).toEqual([]);
    }
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
