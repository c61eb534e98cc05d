import type { APIGatewayProxyResult, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { chosenProtocol } from '../api/socket-login.ts';
import type { Connection } from '../core/ports/signals.ts';
import { header } from './request-uuid.ts';
import { trace } from './trace.ts';

/** The part of a WebSocket API's event that the trigger reads. Only `$connect` has headers and a query. */
export interface SocketEvent {
  readonly requestContext: Pick<
    APIGatewayProxyWebsocketEventV2['requestContext'],
    'apiId' | 'connectionId' | 'routeKey'
  > & {
    readonly authorizer?: Readonly<Record<string, unknown>> | null;
  };
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null;
}

interface SocketAnswer {
  readonly status: number;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface SocketRoutes {
  /** `user` is the user that the gateway has authenticated; empty without one. */
  connect(connection: Connection, user: string): Promise<SocketAnswer>;
  register(connection: Connection): Promise<SocketAnswer>;
  disconnect(connection: Connection): Promise<void>;
  /** A message with an unknown action. */
  other(connection: Connection): Promise<SocketAnswer>;
}

/**
 * Returns the handler of both WebSocket APIs. The user of a connection is the one that API Gateway has authenticated:
 * in the public API that of the authorizer, in the internal API the `user` of the query, which the IAM signature of the
 * service's own functions covers. `internalApi` is the id of the internal API.
 */
export function socketTrigger(routes: SocketRoutes, internalApi: string) {
  return async (event: SocketEvent): Promise<APIGatewayProxyResult> => {
    const { apiId, connectionId, routeKey } = event.requestContext;
    const connection: Connection = { id: connectionId, side: apiId === internalApi ? 'internal' : 'public' };
    try {
      if (routeKey === '$connect') {
        return render(await routes.connect(connection, userOf(event, connection)), subprotocol(event));
      }
      if (routeKey === 'register') return render(await routes.register(connection));
      if (routeKey !== '$disconnect') return render(await routes.other(connection));
      await routes.disconnect(connection);
      return render({ status: 200 });
    } catch (error) {
      trace('socket failed', { routeKey, error });
      return render({ status: 500, body: { code: 'status:changes:fatal', status: 500 } });
    }
  };
}

function userOf({ requestContext, queryStringParameters }: SocketEvent, { side }: Connection): string {
  const user = side === 'internal' ? queryStringParameters?.user : requestContext.authorizer?.user;
  return typeof user === 'string' ? user : '';
}

function subprotocol({ headers }: SocketEvent): Record<string, string> {
  const chosen = chosenProtocol(header(headers, 'sec-websocket-protocol'));
  return chosen === undefined ? {} : { 'Sec-WebSocket-Protocol': chosen };
}

function render({ status, body }: SocketAnswer, headers: Record<string, string> = {}): APIGatewayProxyResult {
  return { statusCode: status, headers, body: body ? JSON.stringify(body) : '' };
}
