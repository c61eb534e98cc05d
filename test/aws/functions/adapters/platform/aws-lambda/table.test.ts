import { afterAll, beforeAll } from 'vitest';
import { platformTable } from '../../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { startDynamoDb } from '../../../../../aws-local/emulators/dynamodb.ts';
import { platformTableContract } from '../../../../../contracts/platform-table.ts';
import { createPlatformTable, emulatorClient } from '../../../../../support/dynamodb-table.ts';

let database: Awaited<ReturnType<typeof startDynamoDb>>;
let tables = 0;

beforeAll(async () => {
  database = await startDynamoDb();
});
afterAll(async () => {
  await database?.close();
});

platformTableContract('DynamoDB', async () => {
  tables += 1;
  const table = `platform-${tables}`;
  const client = emulatorClient(database.endpoint);
  await createPlatformTable(client, table);
  return platformTable({ client, table });
});
