import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../files/errors.ts';
import { type ConnectionLimits, Connections, type PartyOf } from './connections.ts';
import { addressesOf, listen } from './ports.ts';
import { listenBehind } from './proxy-protocol.ts';
import { type Door, SERVER_LIMITS } from './servers.ts';

/** Open servers on one port, of several addresses. */
interface Listeners {
  readonly port: number;
  /** Stops listening and ends every connection. A second call does nothing. */
  close(): Promise<void>;
}

const UNLIMITED: ConnectionLimits = { most: Infinity };

interface ListenOptions {
  readonly port: number;
  readonly host?: string | undefined;
  /** The socket of the file system to which another program passes on the connections of the port. */
  readonly behind?: string | undefined;
  /** Of the connections to all addresses together; absent: none. */
  readonly limits?: ConnectionLimits;
  readonly partyOf?: PartyOf;
}

/**
 * Listens on 127.0.0.1 and ::1, which the other programs of this machine use, and on another address when one is given.
 * `prepare` is called with each server before it listens.
 *
 * @throws OperatorError when an address or the port cannot be had
 */
export async function openListeners(
  { port, host, behind, limits = UNLIMITED, partyOf }: ListenOptions,
  prepare: (server: Server) => void,
): Promise<Listeners> {
  const servers: Server[] = [];
  const connections = new Connections(limits);
  const answering = new Set<ServerResponse>();
  const close = async () => {
    await Promise.all(servers.map((server) => closeServer(server, { connections, answering })));
  };
  let taken = port;
  try {
    for (const one of behind === undefined ? addressesOf(host) : [undefined]) {
      // A request without Host gets an answer of the API, not one of Node.
      const server = createServer({ ...SERVER_LIMITS, requireHostHeader: false });
      prepare(server);
      // Node's own limit counts no connections to ::1.
      connections.guard(server, partyOf);
      server.on('request', ({ socket }, response) => {
        answering.add(response);
        response.once('close', () => {
          answering.delete(response);
          connections.used(socket);
        });
      });
      servers.push(server);
      if (one !== undefined) taken = await listenOn(server, taken, one);
      else if (behind !== undefined) await listenBehind(server, behind);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: taken, close };
}

async function listenOn(server: Server, port: number, host: string): Promise<number> {
  try {
    return await listen(server, port, host);
  } catch (cause) {
    throw new OperatorError(`the API cannot listen on ${host}:${port}; is another one running?`, { cause });
  }
}

interface Open {
  readonly connections: Connections;
  readonly answering: ReadonlySet<ServerResponse>;
}

/** For the answers that have not begun when a server is closed: a call that was taken is not cut. Streams end at once. */
const ANSWER_MS = 2_000;
const LOOK_MS = 10;

async function closeServer(server: Server, { connections, answering }: Open): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const end = performance.now() + ANSWER_MS;
  while ([...answering].some(({ headersSent }) => !headersSent) && performance.now() < end) await pause(LOOK_MS);
  // Upgraded connections too, which `closeAllConnections` leaves open.
  connections.closeAll();
  await closed;
}

/** Another program that is served on the API's port, under other host names. */
export interface OtherHosts extends Door {
  /** Whether a request is for it, by its Host header. */
  takes(request: IncomingMessage): boolean;
  /** Whether a host name is the other program's. */
  takesHost(host: string): boolean;
}
