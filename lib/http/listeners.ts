import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { OperatorError } from '../files/errors.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { listen } from './ports.ts';
import { type Door, SERVER_LIMITS } from './servers.ts';

const LOOPBACK = '127.0.0.1';
/** These include the loopback address. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];
/** It is listened on with the other loopback address. */
const LOOPBACK_6 = '::1';

/** Open servers on one port, of several addresses. */
interface Listeners {
  readonly port: number;
  /** Stops listening and ends every connection. A second call does nothing. */
  close(): Promise<void>;
}

const UNLIMITED: ConnectionLimits = { most: Infinity, isProxy: () => true, hasLogin: () => false };

interface ListenOptions {
  readonly port: number;
  readonly host?: string | undefined;
  /** Of the connections to all addresses together; absent: none. */
  readonly limits?: ConnectionLimits;
}

/**
 * Listens on 127.0.0.1 and ::1, which the other programs of this machine use, and on another address when one is given.
 * `prepare` is called with each server before it listens.
 *
 * @throws OperatorError when an address or the port cannot be had
 */
export async function openListeners(
  { port, host = LOOPBACK, limits = UNLIMITED }: ListenOptions,
  prepare: (server: Server) => void,
): Promise<Listeners> {
  const hosts = ALL_ADDRESSES.includes(host) ? [host] : [...new Set([LOOPBACK, host === LOOPBACK_6 ? LOOPBACK : host])];
  const servers: Server[] = [];
  const connections = new Connections(limits);
  const close = async () => {
    await Promise.all(servers.map((server) => closeServer(server, connections)));
  };
  let taken = port;
  try {
    for (const one of hosts) {
      // A request without Host gets an answer of the API, not one of Node.
      const server = createServer({ ...SERVER_LIMITS, requireHostHeader: false });
      prepare(server);
      // Node's own limit counts no connections to ::1.
      server.on('connection', (socket) => connections.add(socket));
      server.on('request', ({ socket }, response) => response.once('close', () => connections.used(socket)));
      servers.push(server);
      taken = await listenOn(server, taken, one);
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

async function closeServer(server: Server, connections: Connections): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
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
