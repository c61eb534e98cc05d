import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Another program that is served on the API's port, under host names of its own. */
export interface OtherHosts {
  /** Whether a request is for it, by its Host header. */
  takes(request: IncomingMessage): boolean;
  /** Whether a host name is one of its own. */
  takesHost(host: string): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Serves a request for a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}
