import type { Duplex } from 'node:stream';
import type { Functions } from '../invoke/invoke.ts';
import type { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import type { WebSocketApi } from './web-socket-api.ts';

/** What serving one WebSocket API needs. */
export interface WebSocketBackend {
  readonly api: WebSocketApi;
  readonly functions: Pick<Functions, 'invoke'>;
  readonly limits: Limits;
  /** The open connections, by id. */
  readonly connections: Map<string, Connection>;
  /** The sockets whose handshake is not decided yet. */
  readonly handshakes: Set<Duplex>;
  /** Keeps in mind what the end of the server has to wait for. */
  readonly track: (work: Promise<void>) => void;
  readonly log: (sentence: string) => void;
}
