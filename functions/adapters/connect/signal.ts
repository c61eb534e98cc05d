import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import type { SignalPorts } from '../../changes-signal/signal.ts';
import { gatewayPosting } from '../signals/post.ts';
import { connectConnections } from './connections.ts';
import { variable } from './environment.ts';
import { unlogged } from './unlogged.ts';

/** What telling of changes needs, with `INSIDE_POST` and `OUTSIDE_POST`, the addresses to post to connections at. */
export function connectSignal(): SignalPorts {
  const posting = gatewayPosting({
    inside: client(variable('INSIDE_POST')),
    outside: client(variable('OUTSIDE_POST')),
  });
  return { connections: connectConnections(), posting };
}

function client(endpoint: string): ApiGatewayManagementApiClient {
  return unlogged(
    new ApiGatewayManagementApiClient({
      endpoint,
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    }),
  );
}
