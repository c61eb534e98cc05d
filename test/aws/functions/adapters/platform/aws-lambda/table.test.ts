import { platformTable } from '../../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { platformTableContract } from '../../../../../contracts/platform-table.ts';
import { createPlatformTable, emulatedDatabase } from '../../../../../support/dynamodb-table.ts';

const database = emulatedDatabase();
let tables = 0;

platformTableContract('DynamoDB', async () => {
  tables += 1;
  const table = `platform-${tables}`;
  const client = database();
  await createPlatformTable(client, table);
  return platformTable({ client, table });
});
