import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe } from 'vitest';
import { platformTable } from '../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { dynamoDbAppSettings } from '../../../../../functions/adapters/stores/dynamodb/apps/app-settings.ts';
import { dynamoDbLeases } from '../../../../../functions/adapters/stores/dynamodb/connections/stream-leases.ts';
import { dynamoDbTokens } from '../../../../../functions/adapters/stores/dynamodb/tokens.ts';
import { dynamoDbUsers } from '../../../../../functions/adapters/stores/dynamodb/users.ts';
import { systemIds } from '../../../../../functions/adapters/system/ids.ts';
import { clientFor } from '../../../../aws-local/clients.ts';
import { appSettingsContract } from '../../../../contracts/app-settings.ts';
import { platformTableContract } from '../../../../contracts/platform-table.ts';
import { streamLeasesContract } from '../../../../contracts/stream-leases.ts';
import { tokenStoreContract } from '../../../../contracts/token-store.ts';
import { userStoreContract } from '../../../../contracts/user-store.ts';
import { createKeyedTable, createLogTables, emulatedDatabase, LOG_TABLES } from '../../../../support/dynamodb-table.ts';

describe('the stores in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);
  let tables = 0;

  /** An empty table. */
  async function fresh() {
    tables += 1;
    const [client, table] = [database(), `table-${tables}`];
    await createKeyedTable(client, table);
    return { client, table };
  }

  appSettingsContract(async () => dynamoDbAppSettings({ client: database(), ...LOG_TABLES }));

  tokenStoreContract('The store of tokens', async () => dynamoDbTokens({ client: database(), ...LOG_TABLES }));

  streamLeasesContract('The slots for streams', async (clock, slots) =>
    dynamoDbLeases({ ...(await fresh()), clock, ids: systemIds, slots }),
  );

  platformTableContract('DynamoDB', async () => platformTable(await fresh()));

  userStoreContract('DynamoDB', async () => {
    const { client, table } = await fresh();
    const store = { ...dynamoDbUsers({ client, table }) };
    const nowhere = new DynamoDBClient({ ...clientFor('http://127.0.0.1:1'), maxAttempts: 1 });
    const takeDown = async () => void Object.assign(store, dynamoDbUsers({ client: nowhere, table }));
    return { store, takeDown, close: async () => {} };
  });
});
