import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoDbAppSettings } from '../../../../../functions/adapters/stores/dynamodb/apps/app-settings.ts';
import { startDynamoDb } from '../../../../aws-local/emulators/dynamodb.ts';
import { appSettingsContract } from '../../../../contracts/app-settings.ts';
import { createLogTables, emulatorClient } from '../../../../support/dynamodb-table.ts';

describe('in DynamoDB', () => {
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  beforeAll(async () => {
    database = await startDynamoDb();
    await createLogTables(emulatorClient(database.endpoint));
  });
  afterAll(async () => {
    await database.close();
  });

  appSettingsContract(async () => dynamoDbAppSettings({ client: emulatorClient(database.endpoint), table: 'log' }));
});
