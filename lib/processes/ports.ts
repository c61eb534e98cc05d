import { createServer, type Server } from 'node:net';
import { hasCode } from './error-code.ts';

/** A free loopback port of the system's choice. Another process may take it before it is used: be ready to ask again. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Listens on 127.0.0.1 and gives the port. Rejects with the system's error, `EADDRINUSE` for one. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve(portOf(server));
    });
  });
}

/** The port a server listens on; 0 while it does not. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Whether listening failed because the port is not to be had. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'EADDRINUSE') || hasCode(error, 'EACCES');
}

/**
 * Listens on the first port of the list that can be had, and gives it. The system's choice stands at the end, so that a
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
  return listen(server, 0);
}
