import type { Duplex } from 'node:stream';
import type { TrustsAddress } from '../../../lib/http/trusted-addresses.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { Guard } from '../permissions/guard.mjs';
import type { Connection, Limits } from './connection.ts';
import type { WebSocketApi } from './web-socket-api.ts';

/** One WebSocket API and its state. */
export interface WebSocketBackend {
  readonly api: WebSocketApi;
  readonly functions: Pick<Functions, 'invoke'>;
  readonly limits: Limits;
  /** Decides who may connect to an API with IAM authorization, and who may post to connections. */
  readonly guard: Guard;
  /** The open connections, by id. */
  readonly connections: Map<string, Connection>;
  /** The sockets with an open handshake. */
  readonly handshakes: Set<Duplex>;
  /** Registers work that the close of the server waits for. */
  readonly track: (work: Promise<void>) => void;
  readonly log: (sentence: string) => void;
  /** Proxies: the source address of their requests is that of their client. */
  readonly proxies: TrustsAddress | undefined;
}
