import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { webSocketApi } from '../adapters/aws/web-socket-api.ts';
import { postToConnection } from '../adapters/signals/post-to-connection.ts';
import { dynamoDbConnections } from '../adapters/stores/dynamodb/connections.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { SignalPorts } from './signal.ts';

/** Returns the ports of sending signals, from the function's environment. */
export function connect(): SignalPorts {
  const connections = { client: dynamoDb(), table: variable('CONNECTIONS_TABLE'), clock: systemClock };
  return {
    connections: dynamoDbConnections(connections),
    post: postToConnection({
      internal: webSocketApi(variable('INTERNAL_POST')),
      public: webSocketApi(variable('PUBLIC_POST')),
    }),
  };
}
