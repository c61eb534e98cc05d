import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HEADER_BYTES } from './forwarding/target.ts';
import { hasOneHost, NOT_ONE_HOST, refuse, refuseUpgrade } from './refusal.ts';
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

/**
 * Returns a server of what is forwarded, of requests with one Host. Whether a body is wanted (`Expect: 100-continue`) is for the
 * application to say.
 */
export function doorServer({ serve, upgrade }: Door): Server {
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (hasOneHost(request)) serve(request, response);
    else refuse(request, response, NOT_ONE_HOST);
  };
  const server = createServer(SERVER_LIMITS, take);
  server.on('checkContinue', take);
  onWebSocket(server, (request, socket, head) => {
    if (hasOneHost(request)) upgrade(request, socket, head);
    else refuseUpgrade(socket, NOT_ONE_HOST);
  });
  return server;
}
