import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { webSocketApi } from '../adapters/aws/web-socket-api.ts';
import { gatewayPosting } from '../adapters/signals/post.ts';
import { dynamoDbConnections } from '../adapters/stores/dynamodb/connections.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { SignalPorts } from './signal.ts';

/** Returns what sending signals works with. `INSIDE_POST` and `OUTSIDE_POST` are the addresses to post to connections at. */
export function connect(): SignalPorts {
  const connections = { client: dynamoDb(), table: variable('CONNECTIONS_TABLE'), clock: systemClock };
  return {
    connections: dynamoDbConnections(connections),
    posting: gatewayPosting({
      inside: webSocketApi(variable('INSIDE_POST')),
      outside: webSocketApi(variable('OUTSIDE_POST')),
    }),
  };
}
