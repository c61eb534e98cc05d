import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { dynamoDbUsers } from '../../../../../functions/adapters/stores/dynamodb/users.ts';
import { clientFor } from '../../../../aws-local/clients.ts';
import { startDynamoDb } from '../../../../aws-local/emulators/dynamodb.ts';
import { userStoreContract } from '../../../../contracts/user-store.ts';
import { createKeyedTable, emulatorClient } from '../../../../support/dynamodb-table.ts';

let database: Awaited<ReturnType<typeof startDynamoDb>>;
let tables = 0;

beforeAll(async () => {
  database = await startDynamoDb();
});
afterAll(async () => {
  await database?.close();
});

userStoreContract('DynamoDB', async () => {
  tables += 1;
  const table = `users-${tables}`;
  const client = emulatorClient(database.endpoint);
  await createKeyedTable(client, table);
  const store = { ...dynamoDbUsers({ client, table }) };
  const nowhere = new DynamoDBClient({ ...clientFor('http://127.0.0.1:1'), maxAttempts: 1 });
  const takeDown = async () => void Object.assign(store, dynamoDbUsers({ client: nowhere, table }));
  return { store, takeDown, close: async () => {} };
});
