import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dynamoDbUsers } from '../../../../functions/adapters/stores/dynamodb/users.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../../functions/adapters/system/ids.ts';
import { userPorts } from '../../../../functions/core/users/users.ts';
import { CREDENTIALS } from '../../../aws-local/clients.ts';
import { startDynamoDb } from '../../../aws-local/emulators/dynamodb.ts';
import { kmsService } from '../../../aws-local/emulators/kms.ts';
import { startWireEndpoint } from '../../../aws-local/wire/endpoint.ts';
import { createLogTables, emulatorClient } from '../../../support/dynamodb-table.ts';
import { context } from '../../../support/events/aws-events.ts';
import { gatewayEvent, type PairRequest } from '../../../support/events/gateway-event.ts';
import type { Forge } from '../../../support/hosts/forge.ts';
import { giteaForge } from '../../../support/hosts/gitea-forge.ts';

const canary = 'canary:pass wörd-91c2f7';
const levels = ['log', 'info', 'warn', 'error', 'debug'] as const;

describe('the function api-pair, on the local services', () => {
  const written: unknown[] = [];
  const answers: unknown[] = [];
  const close: (() => Promise<unknown>)[] = [];
  let stored = '';
  let forge: Forge;
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  let ask: (request: PairRequest) => Promise<{ statusCode: number; body: string }>;

  beforeAll(async () => {
    database = await startDynamoDb();
    const aws = await startWireEndpoint([kmsService()], () => {});
    forge = await giteaForge(new Map([['octo', canary]]));
    close.push(() => database.close(), aws.close, forge.close);
    const client = emulatorClient(database.endpoint);
    await createLogTables(client);
    const store = dynamoDbUsers({ client, table: 'log' });
    await userPorts({ store, clock: systemClock, ids: systemIds }).users.add('kiwi', 'kiwi-password');
    for (const [name, value] of Object.entries({
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_KMS: aws.endpoint,
      LOG_TABLE: 'log',
      TOKEN_KEY: 'TokenKey',
      REPOSITORY_HOSTS: JSON.stringify([
        { name: 'forge', kind: 'forgejo', api: `${forge.url}/api/v1`, web: forge.url },
      ]),
    })) {
      vi.stubEnv(name, value);
    }
    for (const level of levels) vi.spyOn(console, level).mockImplementation((...words) => void written.push(words));
    const handler = (await import('../../../../functions/aws/endpoints.ts')).apiPair();
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
    const documents = new Map(Items.map(({ pk, sk, doc }) => [`${pk?.S} ${sk?.S}`, JSON.parse(doc?.S ?? '{}')]));
    expect([...documents.keys()].sort()).toEqual(['ACCOUNTS U#kiwi', 'kiwi T#forge#*']);
    expect(documents.get('kiwi T#forge#*')).toMatchObject({ sealed: expect.stringMatching(/^v1\.kms\./) });
    expect(documents.get('ACCOUNTS U#kiwi').record.repohost_pairings).toMatchObject([{ host: 'forge' }]);
  });

  it('lists the pairing in the next request, and refuses a wrong password', async () => {
    expect(JSON.parse((await ask({ method: 'GET' })).body).pairings).toHaveLength(1);
    expect((await send(`octo:not-the-${canary}`)).statusCode).toBe(401);
    expect((await send(`${canary}:${canary}`, { app: 'hello' })).statusCode).toBe(401);
    expect((await send(canary.replace(':', ''))).statusCode).toBe(400);
    expect((await ask({ body: `{"credentials": "octo:${canary}` })).statusCode).toBe(400);
    expect((await send(`octo:${canary}`, { app: 'hello' })).statusCode).toBe(201);
    stored = JSON.stringify(
      (await emulatorClient(database.endpoint).send(new ScanCommand({ TableName: 'log' }))).Items,
    );
    await database.close();
    const { statusCode, body } = await send(`octo:${canary}`);
    expect([statusCode, JSON.parse(body).code]).toEqual([500, 'auth:repohost:get_user_failed']);
  });

  it('writes neither the password nor a token into a response, the log or the table', async () => {
    const made = [...forge.tokens.keys()];
    expect(made.length).toBeGreaterThanOrEqual(2);
    expect(stored).toContain('kiwi');
    expect(written.length).toBeGreaterThan(0);
    for (const secret of [canary, ...made]) {
      expect(JSON.stringify([answers, written, stored]).includes(secret)).toBe(false);
    }
  });
});
