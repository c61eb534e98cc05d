import {
  type ApiGatewayManagementApiClient,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Side } from '../../core/ports/connections.ts';
import type { Posting } from '../../core/ports/posting.ts';

/**
 * Posts to connections through the management addresses of the two sockets.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
export function gatewayPosting(clients: Readonly<Record<Side, ApiGatewayManagementApiClient>>): Posting {
  return {
    post: async ({ id, side }, text) => {
      try {
        await clients[side].send(new PostToConnectionCommand({ ConnectionId: id, Data: Buffer.from(text) }));
        return true;
      } catch (error) {
        if (error instanceof GoneException) return false;
        throw error;
      }
    },
  };
}
