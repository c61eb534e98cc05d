import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDbUsers } from '../../../../../functions/adapters/stores/dynamodb/users.ts';
import { clientFor } from '../../../../aws-local/clients.ts';
import { userStoreContract } from '../../../../contracts/user-store.ts';
import { createKeyedTable, emulatedDatabase } from '../../../../support/dynamodb-table.ts';

const database = emulatedDatabase();
let tables = 0;

userStoreContract('DynamoDB', async () => {
  tables += 1;
  const table = `users-${tables}`;
  const client = database();
  await createKeyedTable(client, table);
  const store = { ...dynamoDbUsers({ client, table }) };
  const nowhere = new DynamoDBClient({ ...clientFor('http://127.0.0.1:1'), maxAttempts: 1 });
  const takeDown = async () => void Object.assign(store, dynamoDbUsers({ client: nowhere, table }));
  return { store, takeDown, close: async () => {} };
});
