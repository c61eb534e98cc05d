import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { dynamoDbConnections } from '../adapters/stores/dynamodb/connections.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { RegisterPorts } from './register.ts';

/**
 * Returns the ports of the connection registry, and the id of the WebSocket API that only the service's functions open.
 */
export function connect(): RegisterPorts & { readonly internalApi: string } {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const connections = { client: dynamoDb(), table: variable('CONNECTIONS_TABLE'), clock: systemClock };
  return {
    connections: dynamoDbConnections(connections),
    log: dynamoDbReader(table),
    internalApi: variable('INTERNAL_API'),
  };
}
