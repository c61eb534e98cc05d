import type { Duplex } from 'node:stream';

interface Connection {
  isBusy: boolean;
  readonly waiting: Array<(done: () => void) => void>;
}

/**
 * The order of each connection's requests: one is worked on at a time, and while others wait the connection is not
 * read. Node parses what a client sends in one piece at once, so without it a single connection could have thousands
 * of answers made that nobody takes.
 */
export class Turns {
  readonly #connections = new WeakMap<Duplex, Connection>();
  readonly #maxWaiting: number;
  #waiting = 0;

  /** A connection that brings more waiting requests of all connections than `maxWaiting` is closed. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** Calls `start` when the connection's earlier work is done, unless the connection is closed by then. */
  take(socket: Duplex, start: (done: () => void) => void): void {
    const connection = this.#connections.get(socket) ?? this.#open(socket);
    if (!connection.isBusy) return void this.#start(socket, connection, start);
    if (this.#waiting >= this.#maxWaiting) return void socket.destroy();
    this.#waiting += 1;
    connection.waiting.push(start);
    socket.pause();
  }

  #open(socket: Duplex): Connection {
    const connection: Connection = { isBusy: false, waiting: [] };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#waiting -= connection.waiting.length;
      connection.waiting.length = 0;
    });
    return connection;
  }

  #start(socket: Duplex, connection: Connection, start: (done: () => void) => void): void {
    connection.isBusy = true;
    start(() => this.#next(socket, connection));
  }

  #next(socket: Duplex, connection: Connection): void {
    connection.isBusy = false;
    const start = socket.destroyed ? undefined : connection.waiting.shift();
    if (!start) return;
    this.#waiting -= 1;
    // The end of an answer makes Node read on.
    if (connection.waiting.length > 0) socket.pause();
    else socket.resume();
    this.#start(socket, connection, start);
  }
}
