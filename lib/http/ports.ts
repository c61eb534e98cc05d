import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hasCode } from '../files/errors.ts';

const LOOPBACK = '127.0.0.1';
const LOOPBACK_6 = '::1';
const ALL_IPV4 = '0.0.0.0';
const ALL_IPV6 = '::';

/** A port of 127.0.0.1 and ::1 that is occupied until a server listens on it, so that no other program can take it before. */
export interface ReservedPort {
  readonly port: number;
  /** Makes the server listen on the port, without a moment in which the port is free. */
  handOver(server: Server): Promise<void>;
  /** Releases the port, unless a server has taken it over. */
  release(): Promise<void>;
}

/**
 * Reserves a port of 127.0.0.1, or of another address; 0 for any outside the system's ephemeral range. Connections
 * are cut until a server has taken the port over. Rejects with the system's error, such as `EADDRINUSE`.
 */
export async function reservePort(wanted: number, host = LOOPBACK): Promise<ReservedPort> {
  const holder = createServer((socket) => socket.destroy());
  const port = await (wanted === 0 && host === LOOPBACK ? listenOnAny(holder) : listen(holder, wanted, host));
  let isHeld = true;
  return {
    port,
    handOver(server) {
      isHeld = false;
      twins.get(holder)?.give(server);
      // The server takes over the listening socket: https://nodejs.org/api/net.html#serverlistenhandle-backlog-callback
      return listening(server, () => server.listen(holder));
    },
    async release() {
      if (isHeld) await closed(holder);
      isHeld = false;
    },
  };
}

/**
 * A loopback port that is free now. For programs that cannot take a reserved port over: another
 * one may take it before they listen, so they have to be started again with another port then.
 */
export async function freePort(): Promise<number> {
  const { port, release } = await reservePort(0);
  await release();
  return port;
}

/** Returns where a server listens that is told this address: on 127.0.0.1 in any case, with which `listen` includes ::1. */
export function addressesOf(host = LOOPBACK): readonly string[] {
  if (host === ALL_IPV4 || host === ALL_IPV6) return [host];
  return [...new Set([LOOPBACK, host === LOOPBACK_6 ? LOOPBACK : host])];
}

/**
 * Listens on 127.0.0.1 and, where there is IPv6, on ::1, and returns the port: names such as `localhost` are either of
 * them, and another program could have the other. Rejects with the system's error, such as `EADDRINUSE`.
 */
export async function listen(server: Server, port: number | ReservedPort, host = LOOPBACK): Promise<number> {
  if (typeof port !== 'number') {
    await port.handOver(server);
    return portOf(server);
  }
  for (let tries = 1; ; tries += 1) {
    await listening(server, () => server.listen(port, host));
    try {
      if (host === LOOPBACK || host === ALL_IPV4) (await twinOf(portOf(server)))?.give(server);
      return portOf(server);
    } catch (error) {
      await closed(server);
      // The system chose a port that is free on one of them only.
      if (port !== 0 || tries === PORT_TRIES) throw error;
    }
  }
}

/** Returns the sockets on which a server listens, for another process (`ChildProcess.send`); none while it does not. */
export function socketsOf(server: Server): readonly Server[] {
  return server.listening ? [server, ...(twins.get(server)?.sockets ?? [])] : [];
}

/**
 * Makes a server listen on a socket, or its descriptor, of another process: that of 127.0.0.1 first, and of ::1 where it has one.
 * To be called in the turn of the event loop in which the socket comes: it takes connections already.
 */
export function adoptSocket(server: Server, socket: Server | { readonly fd: number }): void {
  if (server.listening) newTwin((twin) => twin.listen(socket)).give(server);
  else server.listen(socket);
}

/** Stops listening; its connections go on. */
export function leavePort(server: Server): void {
  for (const socket of twins.get(server)?.sockets ?? []) socket.close();
  server.close();
}

/** A listening socket of ::1, with the connections of which a server does what it does with its own. */
interface Twin {
  readonly sockets: readonly Server[];
  /** Gives the connections to the server, and ends with it. */
  give(server: Server): void;
}

const twins = new WeakMap<Server, Twin>();

/** Listens on the port of ::1; undefined on a machine without IPv6. */
async function twinOf(port: number): Promise<Twin | undefined> {
  let started = Promise.resolve();
  const twin = newTwin((socket) => {
    started = listening(socket, () => socket.listen({ port, host: '::1', ipv6Only: true }));
  });
  try {
    await started;
    return twin;
  } catch (error) {
    if (isTaken(error)) throw error;
    return undefined;
  }
}

function newTwin(listen: (socket: Server) => void): Twin {
  let owner: Server | undefined;
  // As servers of HTTP make their own: https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener
  const socket = createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    if (owner?.listening) owner.emit('connection', connection);
    else connection.destroy();
  });
  listen(socket);
  const twin: Twin = {
    sockets: [socket],
    give: (server) => {
      owner = server;
      twins.set(server, twin);
      server.once('close', () => owner === server && socket.close());
    },
  };
  return twin;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** The port a server listens on; 0 while it does not. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Whether listening failed because the port cannot be had. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'EADDRINUSE') || hasCode(error, 'EACCES');
}

/**
 * Listens on the first port of the list that can be had and returns it. After the list comes any free port, so that a
 * busy machine costs a familiar number and not the service.
 */
export async function listenOnFirst(server: Server, candidates: Iterable<number>): Promise<number> {
  for (const port of candidates) {
    try {
      return await listen(server, port);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  return listenOnAny(server);
}

const LOWEST_PORT = 20_000;
const PORT_TRIES = 20;

/**
 * Listens on a port below those that the system gives to outgoing connections: such a connection could have the port of
 * a server at the moment at which the server is started again.
 */
async function listenOnAny(server: Server): Promise<number> {
  const end = firstEphemeralPort();
  for (let tries = 0; tries < PORT_TRIES && end > LOWEST_PORT; tries += 1) {
    try {
      return await listen(server, randomInt(LOWEST_PORT, end));
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  return listen(server, 0);
}

/** https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html; 0 where the system does not say. */
function firstEphemeralPort(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}

function listening(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    start();
  });
}
