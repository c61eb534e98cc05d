import { describe } from 'vitest';
import { dynamoDbTokens } from '../../../../../functions/adapters/stores/dynamodb/tokens.ts';
import { tokenStoreContract } from '../../../../contracts/token-store.ts';
import { createLogTables, emulatedDatabase } from '../../../../support/dynamodb-table.ts';

describe('the token store in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);

  tokenStoreContract('It', async () => dynamoDbTokens({ client: database(), table: 'log' }));
});
