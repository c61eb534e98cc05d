import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HEADER_BYTES } from './forwarder.ts';
import { onWebSocket } from './websocket.ts';

/** The limits of all servers that a visitor's request passes. */
export const SERVER_LIMITS = {
  maxHeaderSize: HEADER_BYTES,
  // An upload may take as long as its client needs.
  requestTimeout: 0,
  headersTimeout: 60_000,
  // Longer than usual clients and load balancers, so that they close idle connections first.
  keepAliveTimeout: 75_000,
};

/** Serves requests, and those for a WebSocket. */
export interface Door {
  serve(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Returns a server of what is forwarded. Whether a body is wanted (`Expect: 100-continue`) is for the application to say. */
export function doorServer({ serve, upgrade }: Door): Server {
  const server = createServer(SERVER_LIMITS, serve);
  server.on('checkContinue', serve);
  onWebSocket(server, upgrade);
  return server;
}
