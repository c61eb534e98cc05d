import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dynamoDbLog } from '../../../functions/adapters/stores/dynamodb/log.ts';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../functions/adapters/system/ids.ts';
import { stageNames } from '../../../functions/core/pipeline/pipeline.ts';
import { CREDENTIALS } from '../../aws-local/clients.ts';
import type { Dynoxide } from '../../aws-local/emulators/dynoxide.ts';
import { CONNECTIONS, emulatorClient, LOG_TABLES } from '../../support/dynamodb-table.ts';
import { newFolder } from '../../support/new-folder.ts';
import { sizeCases, WITHOUT_SIZE } from '../../support/size/cases.ts';
import { type CountingFront, countingFront } from '../../support/size/counting-front.ts';
import { PLATFORM, startWithApps } from '../../support/size/many-apps.ts';
import { functionEnvironment } from '../../support/template/function-environment.ts';
import { madeFunctions } from '../../support/template/made-functions.ts';

/**
 * Milliseconds of a call and of an item with 512 MB, which have 0.29 of a processor: some 250 reads took 2.5 seconds of
 * such a share. Computed, because what a busy machine measures is no test.
 */
const CALL_MS = 10;
const ITEM_MS = 0.1;
/** A client that has more requests under way loses some to its own time limit. */
const MOST_AT_ONCE = 40;

type Handler = (event: unknown, context: unknown, more?: unknown) => Promise<unknown>;

describe('with 2,000 applications, 800 previews and 100,000 entries', () => {
  let database: Dynoxide;
  let front: CountingFront;
  let made: Awaited<ReturnType<typeof madeFunctions>>;

  beforeAll(async () => {
    database = await startWithApps(newFolder('size'));
    front = await countingFront(database);
    const parts = { ...JSON.parse(functionEnvironment.PLATFORM_PARTS), functionPrefix: 'hooks-app-', bucket: 'apps' };
    const queues = [...stageNames, 'report'].map((name) => [
      `QUEUE_${name.toUpperCase()}`,
      `${front.endpoint}/q/${name}`,
    ]);
    const environment: Record<string, string> = {
      ...functionEnvironment,
      ...Object.fromEntries(queues),
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL: front.endpoint,
      INTERNAL_POST: front.endpoint,
      PUBLIC_POST: front.endpoint,
      LOG_TABLE: LOG_TABLES.table,
      PAYLOADS_TABLE: LOG_TABLES.payloads,
      CONNECTIONS_TABLE: CONNECTIONS,
      PLATFORM_TABLE: PLATFORM,
      PLATFORM_PARTS: JSON.stringify({ ...parts, appTimeoutSeconds: '30', appConcurrency: '0' }),
      REPOSITORY_HOSTS: JSON.stringify([
        { name: 'github', kind: 'github', api: front.endpoint, web: 'https://github.com', privateNetwork: true },
      ]),
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    vi.stubGlobal('awslambda', {
      streamifyResponse: (handler: unknown) => handler,
      HttpResponseStream: { from: (stream: Writable) => stream },
    });
    for (const level of ['log', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {});
    made = await madeFunctions();
  }, 120_000);
  afterAll(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    await front?.close();
    await database?.close();
  });

  it('has a case for each function whose work may grow', () => {
    const named = [...new Set(sizeCases.map((one) => one.function)), ...Object.keys(WITHOUT_SIZE)];
    expect(named.sort()).toEqual([...made.keys()].sort());
  });

  it.for(sizeCases)('$function: $title', { timeout: 120_000 }, async (given) => {
    const context = { ...LOG_TABLES, client: emulatorClient(database.endpoint), clock: systemClock, ids: systemIds };
    const event = await given.event({ database, log: dynamoDbLog(context), table: LOG_TABLES.table });
    const handler = (await made.get(given.function)?.()) as Handler;
    front.start();
    const answer = given.isStream ? await streamed(handler, event) : await handler(event, {});
    const { database: calls, others, items, atOnce } = front.asked;
    const seconds = ((calls + others) * CALL_MS + items * ITEM_MS) / 1000;
    given.answers?.(answer);
    expect(atOnce).toBeLessThanOrEqual(MOST_AT_ONCE);
    expect(items, 'items').toBeLessThanOrEqual(given.items);
    expect(items, 'items').toBeGreaterThanOrEqual(given.least ?? 0);
    expect(seconds, 'seconds').toBeLessThanOrEqual(given.seconds);
  });
});

async function streamed(handler: Handler, event: unknown): Promise<string> {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  await handler(event, stream, {});
  return Buffer.concat(chunks).toString();
}
