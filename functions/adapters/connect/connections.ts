import type { Connections } from '../../core/ports/connections.ts';
import { dynamoDbConnections } from '../stores/dynamodb/connections.ts';
import { systemClock } from '../system/system.ts';
import { dynamoDb } from './database.ts';
import { variable } from './environment.ts';

/** The open connections, from `CONNECTIONS_TABLE`. */
export function connectConnections(): Connections {
  return dynamoDbConnections({ client: dynamoDb(), table: variable('CONNECTIONS_TABLE'), clock: systemClock });
}
