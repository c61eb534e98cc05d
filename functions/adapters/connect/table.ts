import type { TableContext } from '../stores/dynamodb/table.ts';
import { systemClock, systemIds } from '../system/system.ts';
import { dynamoDb } from './database.ts';
import { variable } from './environment.ts';

/** The table of the log, from `LOG_TABLE`. */
export function connectTable(): TableContext {
  return { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
}
