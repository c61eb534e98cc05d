import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoDbLeases } from '../../../../../functions/adapters/stores/dynamodb/connections/stream-leases.ts';
import { systemIds } from '../../../../../functions/adapters/system/ids.ts';
import { startDynamoDb } from '../../../../aws-local/emulators/dynamodb.ts';
import { streamLeasesContract } from '../../../../contracts/stream-leases.ts';
import { createConnectionsTable, emulatorClient } from '../../../../support/dynamodb-table.ts';

describe('the slots for streams in DynamoDB', () => {
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  let tables = 0;
  beforeAll(async () => {
    database = await startDynamoDb();
  });
  afterAll(async () => {
    await database.close();
  });

  streamLeasesContract('It', async (clock, slots) => {
    tables += 1;
    const table = `leases-${tables}`;
    const client = emulatorClient(database.endpoint);
    await createConnectionsTable(client, table);
    return dynamoDbLeases({ client, table, clock, ids: systemIds, slots });
  });
});
