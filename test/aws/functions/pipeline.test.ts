import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoDbAppFacts } from '../../../functions/adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbBacklog } from '../../../functions/adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../../../functions/adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../../../functions/adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../../../functions/adapters/stores/dynamodb/reader.ts';
import { startDynamoDb } from '../../aws-local/emulators/dynamodb.ts';
import { pipelineContract } from '../../contracts/pipeline.ts';
import { memoryClock, memoryIds } from '../../fakes/clock.ts';
import { createLogTables, emulatorClient, LOG_TABLES } from '../../support/dynamodb-table.ts';
import { AT } from '../../support/entries.ts';

describe('the pipeline on the log in DynamoDB', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  let users = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pipeline-'));
    database = await startDynamoDb({ file: join(folder, 'log.sqlite') });
    await createLogTables(emulatorClient(database.endpoint));
  });

  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  pipelineContract(() => {
    users += 1;
    const user = `ann-${users}`;
    const client = emulatorClient(database.endpoint);
    const context = { client, ...LOG_TABLES, clock: memoryClock(AT), ids: memoryIds() };
    const backlog = dynamoDbBacklog(context);
    // The sweeper looks after everybody; each of these worlds only after its own user.
    const due = async (now: number, limit: number) =>
      (await backlog.due(now, 10_000)).filter((job) => job.user === user).slice(0, limit);
    const log = dynamoDbLog(context);
    const facts = { facts: dynamoDbFacts(context), appFacts: dynamoDbAppFacts(context) };
    return { log, reader: dynamoDbReader(context), ...facts, backlog: { ...backlog, due }, user };
  }, 8);
});
