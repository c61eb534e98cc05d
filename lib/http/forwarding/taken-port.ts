import type { Socket } from 'node:net';
import type { Target } from './target.ts';

/** Why a connection was closed before a byte of a request was written to it. */
export class TakenPort extends Error {
  constructor({ host, port }: Target) {
    super(`Another program has taken ${host}:${port}.`);
  }
}

/** Closes a new connection if another program than the server has taken its port. */
export function toOwner<Connection extends Socket>(connection: Connection, target: Target): Connection {
  // What is written before waits for this event too, and comes after it.
  return connection.once('connect', () => {
    if (target.isStillOwn?.() === false) connection.destroy(new TakenPort(target));
  });
}
