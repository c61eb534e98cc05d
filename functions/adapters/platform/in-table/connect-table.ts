import { dynamoDb } from '../../aws/dynamodb.ts';
import { platformTableName } from '../../aws/platform/table.ts';
import { type PlatformTable, platformTable } from './table.ts';

/** Returns the platform's table, for functions that need nothing else of it. */
export function connectTable(): PlatformTable {
  return platformTable({ client: dynamoDb(), table: platformTableName() });
}
