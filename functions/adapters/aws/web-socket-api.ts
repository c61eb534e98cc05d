import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { withoutLogging } from './without-logging.ts';

/**
 * Returns a client that posts to the connections of the WebSocket API at `endpoint`: each API needs a client of its
 * own.
 */
export function webSocketApi(endpoint: string): ApiGatewayManagementApiClient {
  return withoutLogging(
    new ApiGatewayManagementApiClient({
      endpoint,
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    }),
  );
}
