import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { frameMeter } from '../../../lib/http/websocket.ts';
import { readRequest } from '../gateway/request.ts';
import { Connection } from './connection.ts';
import type { ConnectionFacts } from './events.ts';
import { type AuthorizedHandshake, authorizeHandshake } from './handshake.ts';
import { deliverMessage, notifyDisconnect, webSocketErrorOf } from './messages.ts';
import type { WebSocketBackend } from './web-socket-api.ts';

/** A request to switch to the WebSocket protocol, from `node:http`. */
export interface Upgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The part of the library's callback that decides on a handshake. */
type Decide = (allowed: boolean, status?: number, body?: string, headers?: Record<string, string>) => void;

/**
 * Answers a handshake: 101 and an open connection, or the status of the refusal as JSON. The connection can be posted
 * to only after the 101, as on AWS; `$disconnect` follows every successful `$connect`, even when the client has left by
 * then.
 */
export function acceptUpgrade(backend: WebSocketBackend, upgrade: Upgrade): void {
  backend.handshakes.add(upgrade.socket);
  upgrade.socket.once('close', () => backend.handshakes.delete(upgrade.socket));
  const call = { connectionId: newConnectionId(), connectedAt: Date.now() };
  let accepted: AuthorizedHandshake | undefined;
  let opened = false;
  const decideOn = async (decide: Decide): Promise<void> => {
    const request = readRequest(upgrade.message, randomUUID());
    try {
      accepted = await authorizeHandshake(backend, { message: upgrade.message, request }, call);
    } catch (error) {
      return refuse(backend, decide, { error, requestId: request.requestId, connectionId: call.connectionId });
    }
    decide(true);
    if (!opened)
      await notifyDisconnect(backend, accepted.facts, { code: 1006, reason: 'Connection closed abnormally' });
  };
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: backend.limits.messageBytes,
    // Runs after the library has validated the handshake, so that no function is invoked for a malformed one.
    verifyClient: (_info, decide) => backend.track(decideOn(decide)),
    handleProtocols: () => accepted?.protocol ?? false,
  });
  server.handleUpgrade(upgrade.message, upgrade.socket, upgrade.head, (webSocket) => {
    opened = true;
    backend.handshakes.delete(upgrade.socket);
    if (accepted) open(backend, accepted.facts, { webSocket, socket: upgrade.socket });
    else webSocket.terminate();
  });
}

function open(
  backend: WebSocketBackend,
  facts: ConnectionFacts,
  { webSocket, socket }: { webSocket: WebSocket; socket: Duplex },
): void {
  const { connections, limits } = backend;
  const work = (from: Connection, text: string) => deliverMessage(backend, from, text);
  const connection = new Connection(webSocket, facts, { limits, work });
  // Before the library's listener: a frame that is too long must not become a message.
  socket.prependListener(
    'data',
    frameMeter(limits.frameBytes, () => connection.end(1009, 'Frame too long')),
  );
  connections.set(facts.connectionId, connection);
  const finish = async (): Promise<void> => {
    const closeInfo = await connection.ended;
    connections.delete(facts.connectionId);
    await notifyDisconnect(backend, facts, closeInfo);
  };
  backend.track(finish());
}

function refuse(
  { api, log }: WebSocketBackend,
  decide: Decide,
  { error, ...ids }: { error: unknown; requestId: string; connectionId: string },
): void {
  const { status, message, reason } = webSocketErrorOf(error);
  log(`a connection to ${api.apiId} was refused with ${status}: ${reason}`);
  const headers = { 'Content-Type': 'application/json', 'x-amzn-RequestId': ids.requestId };
  decide(false, status, JSON.stringify({ message, ...ids }), headers);
}

/** As on AWS: 15 characters and the padding, which URLs have to encode. */
function newConnectionId(): string {
  return `${randomBytes(12).toString('base64url').slice(0, 15)}=`;
}
