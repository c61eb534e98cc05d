import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoDbAppEventCursor } from '../../../../../functions/adapters/stores/dynamodb/apps/app-event-cursor.ts';
import { dynamoDbAppFacts } from '../../../../../functions/adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbTrackedApps } from '../../../../../functions/adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbBacklog } from '../../../../../functions/adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../../../../../functions/adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../../../../../functions/adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../../../../../functions/adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../../../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../../../functions/adapters/system/ids.ts';
import { startDynamoDb } from '../../../../../lib/aws-local/emulators/dynamodb.ts';
import { deployLogContract } from '../../../../contracts/deploy-log.ts';
import { createLogTable, emulatorClient } from '../../../../support/dynamodb-table.ts';

describe('the log in DynamoDB', () => {
  const table = 'log';
  let folder: string;
  let database: Awaited<ReturnType<typeof startDynamoDb>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-'));
    database = await startDynamoDb({ file: join(folder, 'log.sqlite'), externalEndpoint: undefined });
    await createLogTable(emulatorClient(database.endpoint), table);
  });

  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  let users = 0;
  deployLogContract(async () => {
    users += 1;
    const client = emulatorClient(database.endpoint);
    const context = { client, table, clock: systemClock, ids: systemIds };
    return {
      log: dynamoDbLog(context),
      other: dynamoDbLog(context),
      reader: dynamoDbReader(context),
      facts: dynamoDbFacts(context),
      appFacts: dynamoDbAppFacts(context),
      backlog: dynamoDbBacklog(context),
      cursor: dynamoDbAppEventCursor(context),
      trackedApps: dynamoDbTrackedApps(context),
      user: `user-${users}`,
    };
  });
});
