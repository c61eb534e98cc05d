import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { GATEWAY_ERRORS, GatewayError } from '../gateway/gateway-responses.ts';
import { callFunction } from '../gateway/handle-request.ts';
import type { CloseInfo, Connection } from './connection.ts';
import { disconnectEvent, messageEvent } from './events.ts';
import type { WebSocketBackend } from './web-socket-api.ts';

/**
 * Invokes the function of the message's route, else of `$default`, and sends its body back when the route has a
 * response. Errors are sent to the client as API Gateway words them. Never rejects.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-response.html
 */
export async function deliverMessage(backend: WebSocketBackend, connection: Connection, body: string): Promise<void> {
  const requestId = randomUUID();
  try {
    const reply = await answer(backend, connection, { requestId, body });
    if (reply !== '') connection.send(reply);
  } catch (error) {
    const { message, reason } = webSocketErrorOf(error);
    backend.log(`a message to ${backend.api.apiId} failed: ${reason}`);
    connection.send(JSON.stringify({ message, connectionId: connection.facts.connectionId, requestId }));
  }
}

async function answer(
  backend: WebSocketBackend,
  { facts }: Connection,
  { requestId, body }: { requestId: string; body: string },
): Promise<string> {
  const { api, limits } = backend;
  const selected = api.routes.get(api.select(body) ?? '$default') ?? api.routes.get('$default');
  if (!selected) throw new WebSocketError(403, 'no route matches, and there is no $default');
  const { routeKey, integration, hasResponse } = selected;
  if (!integration) return '';
  const response = await callFunction(backend, integration, messageEvent(facts, { routeKey, requestId, body }));
  if (!hasResponse) return '';
  if (response.body.length <= limits.messageBytes) return response.body.toString();
  throw new WebSocketError(
    500,
    `${integration.functionName} returned ${response.body.length} bytes`,
    'Internal server error',
  );
}

/** Invokes the `$disconnect` function once for a closed connection; an error is only logged. */
export async function notifyDisconnect(
  backend: WebSocketBackend,
  facts: Connection['facts'],
  closeInfo: CloseInfo,
): Promise<void> {
  const { api, log } = backend;
  const integration = api.routes.get('$disconnect')?.integration;
  if (!integration) return;
  try {
    await callFunction(backend, integration, disconnectEvent(facts, closeInfo));
  } catch (error) {
    log(`$disconnect of ${api.apiId} failed: ${webSocketErrorOf(error).reason}`);
  }
}

/** A handshake or message that the gateway refuses. `reason` is for the log; the client sees status and message. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message = STATUS_CODES[status] ?? 'Forbidden') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * Returns the response for an error: the REST gateway's GATEWAY_ERRORS keep their status, unexpected errors are 500.
 */
export function webSocketErrorOf(error: unknown): WebSocketError {
  if (error instanceof WebSocketError) return error;
  if (error instanceof GatewayError)
    return new WebSocketError(GATEWAY_ERRORS[error.type].status, error.reason, error.message);
  return new WebSocketError(500, error instanceof Error ? error.message : String(error), 'Internal server error');
}
