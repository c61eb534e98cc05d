import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Another program that is served on the API's port, under host names of its own. */
export interface OtherHosts {
  /** Whether a request is for it, by its Host header. */
  takes(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Serves a request that asks for another protocol, such as WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}
