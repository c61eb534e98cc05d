import type { APIGatewayProxyResult, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import type { Connection } from '../core/ports/connection-registry.ts';
import { header } from './header.ts';
import { trace } from './trace.ts';

/** What the trigger reads of an event of a WebSocket API; the headers and the query are those of `$connect`. */
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

/** An answer to a client: an object to send, or a status that lets it in or not. */
export interface SocketAnswer {
  readonly status: number;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What may happen to a connection. */
export interface SocketRoutes {
  /** `user` is whom the gateway vouches for; empty when it vouches for nobody. */
  connect(connection: Connection, user: string): Promise<SocketAnswer>;
  register(connection: Connection): Promise<SocketAnswer>;
  disconnect(connection: Connection): Promise<void>;
  /** A message that asks for nothing known. */
  other(connection: Connection): Promise<SocketAnswer>;
}

/** What a client offers beside the subprotocol that carries its login; it is what the service speaks. */
const SUBPROTOCOL = 'changes';

/**
 * The handler of both WebSocket APIs. Who a connection belongs to is only what API Gateway has checked: for the clients
 * outside what the authorizer says, for the service's own functions the `user` of the query, which their signature covers
 * and which nobody else can sign. `internalApi` is the id of the API that takes signatures only.
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

/** A browser closes the connection when it offered protocols and none was chosen. Never the one with the login. */
function subprotocol({ headers }: SocketEvent): Record<string, string> {
  const offered = (header(headers, 'sec-websocket-protocol') ?? '').split(',').map((one) => one.trim());
  return offered.includes(SUBPROTOCOL) ? { 'Sec-WebSocket-Protocol': SUBPROTOCOL } : {};
}

function render({ status, body }: SocketAnswer, headers: Record<string, string> = {}): APIGatewayProxyResult {
  return { statusCode: status, headers, body: body ? JSON.stringify(body) : '' };
}
