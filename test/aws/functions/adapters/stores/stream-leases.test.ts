import { describe } from 'vitest';
import { dynamoDbLeases } from '../../../../../functions/adapters/stores/dynamodb/connections/stream-leases.ts';
import { systemIds } from '../../../../../functions/adapters/system/ids.ts';
import { streamLeasesContract } from '../../../../contracts/stream-leases.ts';
import { createConnectionsTable, emulatedDatabase } from '../../../../support/dynamodb-table.ts';

describe('the slots for streams in DynamoDB', () => {
  const database = emulatedDatabase();
  let tables = 0;

  streamLeasesContract('It', async (clock, slots) => {
    tables += 1;
    const table = `leases-${tables}`;
    const client = database();
    await createConnectionsTable(client, table);
    return dynamoDbLeases({ client, table, clock, ids: systemIds, slots });
  });
});
