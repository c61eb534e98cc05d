import {
  ApiGatewayManagementApiClient,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Connection, Side } from '../../core/ports/signals.ts';
import { requestLimits, withoutLogging } from '../aws/client-settings.ts';

/**
 * Returns a function that posts a message to a connection through the WebSocket API that it belongs to. It returns
 * false when the connection is closed, and throws when the message could not be sent for another reason.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
export function postToConnection(clients: Readonly<Record<Side, ApiGatewayManagementApiClient>>) {
  return async ({ id, side }: Connection, message: string): Promise<boolean> => {
    try {
      await clients[side].send(new PostToConnectionCommand({ ConnectionId: id, Data: Buffer.from(message) }));
      return true;
    } catch (error) {
      if (error instanceof GoneException) return false;
      throw error;
    }
  };
}

export function webSocketApi(endpoint: string): ApiGatewayManagementApiClient {
  return withoutLogging(new ApiGatewayManagementApiClient({ endpoint, ...requestLimits(4_000) }));
}
