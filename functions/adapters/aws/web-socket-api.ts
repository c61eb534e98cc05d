import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { requestLimits, withoutLogging } from './client-settings.ts';

/**
 * Returns a client that posts to the connections of the WebSocket API at `endpoint`: each API needs a client of its
 * own.
 */
export function webSocketApi(endpoint: string): ApiGatewayManagementApiClient {
  return withoutLogging(
    new ApiGatewayManagementApiClient({
      endpoint,
      ...requestLimits(4_000),
    }),
  );
}
