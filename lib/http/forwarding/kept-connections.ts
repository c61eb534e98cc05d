import { connect, isIPv6, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
// The whole package would take 5 MB more of memory in each program.
import Client from 'undici/lib/dispatcher/client.js';
import { HEADER_BYTES, type Target } from '../forwarder.ts';
import type { Reply } from './reply.ts';

/** A request that a server may get twice, with its headers for the server. */
interface Repeatable {
  readonly reply: Reply;
  readonly headers: string[];
  /** Called when there is no answer, or the rest of one does not come. */
  readonly failed: (error: Error) => void;
}

/** How long a connection of a server that announces nothing is kept. */
const KEPT_MS = 4_000;
/** A connection is closed so long before the server has announced to close it. */
const EARLIER_MS = 1_000;

/**
 * The connections to a server that are used for one request after the other. A server may close one at the moment in which
 * it is used again: only requests that may be repeated are sent on them, and are sent once more on a new connection then.
 */
export class KeptConnections {
  /** The one that was used last is the last. */
  readonly #idle: Connection[] = [];
  #isClosed = false;

  constructor(private readonly target: Target) {}

  send(request: Repeatable): void {
    this.#sendOn(this.#idle.pop() ?? this.#open(), request);
  }

  /** Closes the connections, those in use when their answer has ended. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  #open(): Connection {
    return new Connection(this.target, (closed) => {
      const at = this.#idle.indexOf(closed);
      if (at < 0) return;
      this.#idle.splice(at, 1);
      closed.close();
    });
  }

  #sendOn(connection: Connection, { reply, headers, failed }: Repeatable): void {
    connection.send(reply, headers, {
      ended: () => {
        if (this.#isClosed) connection.close();
        else this.#idle.push(connection);
      },
      failed: (error, mayRepeat) => {
        connection.close();
        if (mayRepeat && !reply.isOver) this.#sendOn(this.#open(), { reply, headers, failed });
        else failed(error);
      },
    });
  }
}

interface Ends {
  readonly ended: () => void;
  /** `mayRepeat`: the connection had served before, and has ended before a byte of the answer. */
  readonly failed: (error: Error, mayRepeat: boolean) => void;
}

class Connection {
  readonly #client: Client;
  #socket: Socket | undefined;
  #hasServed = false;

  constructor({ host, port }: Target, closed: (connection: Connection) => void) {
    this.#client = new Client(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`, {
      // An application may take as long for an answer as it likes.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEPT_MS,
      keepAliveTimeoutThreshold: EARLIER_MS,
      maxHeaderSize: HEADER_BYTES,
      connect: (_, connected) => {
        this.#hasServed = false;
        const socket = connect({ host, port, noDelay: true });
        this.#socket = socket;
        const refused = (error: Error) => connected(error, null);
        socket.once('error', refused);
        socket.once('connect', () => {
          socket.off('error', refused);
          connected(null, socket);
        });
      },
    });
    this.#client.on('disconnect', () => closed(this));
  }

  send(reply: Reply, headers: string[], { ended, failed }: Ends): void {
    const { request, response } = reply;
    // How much the connection had read when the request was written; it may fail before.
    let before: number | undefined;
    let abort = () => {};
    const left = () => {
      if (!response.writableFinished) abort();
    };
    response.once('close', left);
    const handlers: Dispatcher.DispatchHandlers = {
      onConnect: (toAbort) => {
        before = this.#socket?.bytesRead ?? 0;
        abort = toAbort;
        if (response.destroyed) abort();
      },
      onHeaders: (status, raw, resume, reason) => {
        const head = { status, reason, headers: raw.map(latin1) };
        if (status >= 100 && status < 200) reply.inform(head);
        else {
          reply.begin(head);
          response.on('drain', resume);
        }
        return true;
      },
      onData: (chunk) => reply.isOver || response.write(chunk),
      onComplete: (trailers) => {
        this.#hasServed = true;
        reply.end(trailers?.map(String) ?? []);
        ended();
      },
      onError: (error) => {
        const isUntouched = before === undefined || this.#socket?.bytesRead === before;
        failed(error, this.#hasServed && isUntouched);
      },
    };
    const { method = 'GET', url = '/' } = request;
    this.#client.dispatch({ method: method as Dispatcher.HttpMethod, path: url, headers }, handlers);
  }

  close(): void {
    this.#client.close(() => {});
  }
}

function latin1(bytes: Buffer): string {
  return bytes.toString('latin1');
}
