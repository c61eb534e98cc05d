import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoDbTokens } from '../../../../../functions/adapters/stores/dynamodb/tokens.ts';
import { startDynamoDb } from '../../../../aws-local/emulators/dynamodb.ts';
import { tokenStoreContract } from '../../../../contracts/token-store.ts';
import { createLogTables, emulatorClient } from '../../../../support/dynamodb-table.ts';

describe('the token store in DynamoDB', () => {
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  beforeAll(async () => {
    database = await startDynamoDb();
    await createLogTables(emulatorClient(database.endpoint));
  });
  afterAll(async () => {
    await database.close();
  });

  tokenStoreContract('It', async () => dynamoDbTokens({ client: emulatorClient(database.endpoint), table: 'log' }));
});
