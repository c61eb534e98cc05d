import { connect, type Socket } from 'node:net';
import { AnswerReader, type AnswerTaker } from './answer-reader.ts';
import type { RawHeaders } from './headers.ts';
import type { Head, Reply } from './reply.ts';
import { toOwner } from './taken-port.ts';
import type { Target } from './target.ts';

/** A request that a server may get twice, with its headers for the server. */
interface Repeatable {
  readonly reply: Reply;
  readonly headers: readonly string[];
  /** Called when there is no answer, or the rest of one does not come. */
  readonly failed: (error: Error) => void;
}

/** How long a connection of a server that announces nothing is kept. */
const KEPT_SECONDS = 5;
/** A connection is closed so long before the server has announced to close it. */
const EARLIER_MS = 1_000;
/** Between two looks at the idle connections. */
const LOOK_MS = 500;

/**
 * The connections to a server that are used for one request after the other. A server may close one at the moment in which
 * it is used again: only requests that may be repeated are sent on them, and are sent once more on a new connection then.
 */
export class KeptConnections {
  /** The one that was used last is the last. */
  readonly #idle: Connection[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly target: Target) {}

  send(request: Repeatable): void {
    const now = performance.now();
    let connection = this.#idle.pop();
    for (; connection && connection.keptUntil <= now; connection = this.#idle.pop()) connection.close();
    if (connection) connection.send(request);
    else this.sendOnNew(request);
  }

  sendOnNew(request: Repeatable): void {
    new Connection(this.target, this).send(request);
  }

  /** Closes the connections, those in use when their answer has ended. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  keep(connection: Connection): void {
    if (this.#isClosed) return void connection.close();
    this.#idle.push(connection);
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  forget(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #look(): void {
    const now = performance.now();
    for (const connection of this.#idle.filter(({ keptUntil }) => keptUntil <= now)) connection.close();
    this.#timer = this.#idle.length === 0 ? undefined : setTimeout(() => this.#look(), LOOK_MS).unref();
  }
}

/** All connections read into it: what is read is taken from it at once. */
const BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

class Connection implements AnswerTaker {
  /** Until when it may be used again. */
  keptUntil = 0;
  readonly #socket: Socket;
  #request: Repeatable | undefined;
  #reader: AnswerReader | undefined;
  #hasServed = false;
  #hasRead = false;
  readonly #left = () => this.close();
  readonly #resume = () => void this.#socket.resume();

  constructor(
    target: Target,
    private readonly all: KeptConnections,
  ) {
    const { host, port } = target;
    const socket = connect({ host, port, noDelay: true, onread: { buffer: BUFFER, callback: this.#read } });
    this.#socket = toOwner(socket, target);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.once('end', () => this.#ended());
    this.#socket.once('close', () => this.#fail(new Error('The connection was closed.')));
  }

  send(request: Repeatable): void {
    const { reply, headers } = request;
    const { method = 'GET', url = '/' } = reply.request;
    // Its client has left.
    if (reply.response.destroyed) return void this.all.keep(this);
    this.#request = request;
    this.#reader = new AnswerReader(method, this);
    this.#hasRead = false;
    reply.response.once('close', this.#left);
    let head = `${method} ${url} HTTP/1.1\r\n`;
    for (let at = 0; at + 1 < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
    this.#socket.write(`${head}connection: keep-alive\r\n\r\n`, 'latin1');
  }

  close(): void {
    this.#release();
    this.all.forget(this);
    this.#socket.destroy();
  }

  head(head: Head): void {
    if (head.status < 200) this.#request?.reply.inform(head);
    else this.#request?.reply.begin(head);
  }

  data(bytes: string): void {
    const { reply } = this.#request ?? {};
    if (!reply || reply.isOver || reply.write(bytes) || this.#socket.isPaused()) return;
    this.#socket.pause();
    reply.response.once('drain', this.#resume);
  }

  end(last: string, trailers: RawHeaders): void {
    this.#request?.reply.end(last, trailers);
  }

  /** Takes what is in the buffer. */
  readonly #read = (length: number): boolean => {
    this.#hasRead = true;
    // An answer that nobody has asked for would be taken for that of the next request.
    if (!this.#reader) this.close();
    else this.#try(this.#reader, (reader) => reader.read(BUFFER.toString('latin1', 0, length)));
    return true;
  };

  #ended(): void {
    if (this.#reader) this.#try(this.#reader, (reader) => reader.end());
    this.close();
  }

  #try(reader: AnswerReader, read: (reader: AnswerReader) => void): void {
    try {
      read(reader);
      if (reader.isOver) this.#complete(reader);
      else this.#request?.reply.flush();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #complete({ keptSeconds = KEPT_SECONDS }: AnswerReader): void {
    this.#release();
    this.#hasServed = true;
    const keptMs = keptSeconds * 1000 - EARLIER_MS;
    this.keptUntil = performance.now() + keptMs;
    if (keptMs > 0) this.all.keep(this);
    else this.close();
  }

  #release(): Repeatable | undefined {
    const request = this.#request;
    request?.reply.response.off('close', this.#left).off('drain', this.#resume);
    // The client may read the rest of the answer slowly.
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#request = undefined;
    this.#reader = undefined;
    return request;
  }

  #fail(error: Error): void {
    const request = this.#release();
    this.close();
    if (!request) return;
    const mayRepeat = this.#hasServed && !this.#hasRead && !request.reply.isOver;
    if (mayRepeat) this.all.sendOnNew(request);
    else request.failed(error);
  }
}
