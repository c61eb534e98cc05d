import { randomUUID } from 'node:crypto';
import type { WebSocketBackend } from './backend.ts';
import { callFunction } from './call-function.ts';
import type { CloseInfo, Connection } from './connection.ts';
import { disconnectEvent, messageEvent } from './events.ts';
import { WebSocketError, webSocketErrorOf } from './web-socket-error.ts';

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
  { api, functions, limits }: WebSocketBackend,
  { facts }: Connection,
  { requestId, body }: { requestId: string; body: string },
): Promise<string> {
  const selected = api.routes.get(api.select(body) ?? '$default') ?? api.routes.get('$default');
  if (!selected) throw new WebSocketError(403, 'no route matches, and there is no $default');
  const { routeKey, integration, hasResponse } = selected;
  if (!integration) return '';
  const response = await callFunction(functions, integration, messageEvent(facts, { routeKey, requestId, body }));
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
  { api, functions, log }: WebSocketBackend,
  facts: Connection['facts'],
  closeInfo: CloseInfo,
): Promise<void> {
  const integration = api.routes.get('$disconnect')?.integration;
  if (!integration) return;
  try {
    await callFunction(functions, integration, disconnectEvent(facts, closeInfo));
  } catch (error) {
    log(`$disconnect of ${api.apiId} failed: ${webSocketErrorOf(error).reason}`);
  }
}
