import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { LogReader } from '../core/ports/log-reader.ts';

/** Returns the endpoint's ports, from the function's environment. */
export function connect(): { readonly log: LogReader; readonly publicUrl: string | null } {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  return { log: dynamoDbReader(table), publicUrl: publicUrl() };
}
