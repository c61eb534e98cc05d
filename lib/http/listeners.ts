import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { OperatorError } from '../files/errors.ts';
import { listen } from './ports.ts';

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

interface ListenOptions {
  readonly port: number;
  readonly host?: string | undefined;
  /** Connections to all addresses together; more are closed. */
  readonly connections?: number;
}

/**
 * Listens on 127.0.0.1 and ::1, which the other programs of this machine use, and on another address when one is given.
 * `prepare` is called with each server before it listens.
 *
 * @throws OperatorError when an address or the port cannot be had
 */
export async function openListeners(
  { port, host = LOOPBACK, connections = Infinity }: ListenOptions,
  prepare: (server: Server) => void,
): Promise<Listeners> {
  const hosts = ALL_ADDRESSES.includes(host) ? [host] : [...new Set([LOOPBACK, host === LOOPBACK_6 ? LOOPBACK : host])];
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const close = async () => {
    await Promise.all(servers.map((server) => closeServer(server, sockets)));
  };
  let taken = port;
  try {
    for (const one of hosts) {
      // A request without Host gets an answer of the API, not one of Node.
      const limits = { keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 60_000 };
      const server = createServer({ ...limits, requireHostHeader: false });
      prepare(server);
      server.on('connection', (socket) => {
        // Node's own limit counts no connections to ::1.
        if (sockets.size >= connections) return void socket.destroy();
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      });
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

async function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // Upgraded connections too, which `closeAllConnections` leaves open.
  for (const socket of sockets) socket.destroy();
  await closed;
}

/** Another program that is served on the API's port, under other host names. */
export interface OtherHosts {
  /** Whether a request is for it, by its Host header. */
  takes(request: IncomingMessage): boolean;
  /** Whether a host name is the other program's. */
  takesHost(host: string): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Serves a request for a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}
