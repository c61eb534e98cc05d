import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hasCode } from './error-code.ts';

const LOOPBACK = '127.0.0.1';

/** A port of 127.0.0.1 that is occupied until a server listens on it, so that no other program can take it before. */
export interface ReservedPort {
  readonly port: number;
  /** Makes the server listen on the port, without a moment in which the port is free. */
  handOver(server: Server): Promise<void>;
  /** Releases the port, unless a server has taken it over. */
  release(): Promise<void>;
}

/**
 * Reserves a port of 127.0.0.1, or of another address; 0 for any that the system does not use by itself. Connections
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
      // The server takes over the listening socket: https://nodejs.org/api/net.html#serverlistenhandle-backlog-callback
      return listening(server, () => server.listen(holder));
    },
    async release() {
      if (isHeld) await new Promise((resolve) => holder.close(resolve));
      isHeld = false;
    },
  };
}

/**
 * A loopback port that is free now. For programs that cannot take a reserved port over: another
 * one may take it before they listen, so they have to be started again with another port then.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { port, release } = await reservePort(0);
    const isFreeToo = await isFreeOnIPv6(port);
    await release();
    // On the other loopback address it may be another program's, which would be taken for the one that is started.
    if (isFreeToo || tries === PORT_TRIES) return port;
  }
}

async function isFreeOnIPv6(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listening(server, () => server.listen({ port, host: '::1', ipv6Only: true }));
  } catch (error) {
    // A machine without IPv6 has no such address.
    return !hasCode(error, 'EADDRINUSE');
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Whether the port of 127.0.0.1 is free. */
export async function isFree(port: number): Promise<boolean> {
  try {
    await (await reservePort(port)).release();
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** Listens on 127.0.0.1 and returns the port. Rejects with the system's error, such as `EADDRINUSE`. */
export async function listen(server: Server, port: number | ReservedPort, host = LOOPBACK): Promise<number> {
  if (typeof port === 'number') await listening(server, () => server.listen(port, host));
  else await port.handOver(server);
  return portOf(server);
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
