import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerOf, headersForClient, pairsOf, type RawHeaders } from './headers.ts';

/** The status line and the headers of an answer. */
export interface Head {
  readonly status: number;
  readonly reason: string;
  readonly headers: RawHeaders;
}

/** Characters that are read in a reason and that Node does not send. */
const NOT_SENT = /[^\t\x20-\x7e\x80-\xff]/g;

/** Passes the answer of a server on to the client of a request. */
export class Reply {
  #hasTrailers = false;
  /** The value of one more `Set-Cookie`. */
  cookie: string | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly ownNames: readonly string[],
  ) {}

  /** Whether the client has the whole answer, or has left. */
  get isOver(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** Passes on what comes before an answer, such as `103 Early Hints`. Node has methods for some of these only. */
  inform({ status, reason, headers }: Head): void {
    const { request, response, ownNames } = this;
    if (request.httpVersion === '1.0' || response.headersSent) return;
    const passed = headersForClient(headers, { ownNames, hasTrailers: false });
    // There is no socket while earlier requests of the connection are answered.
    response.socket?.write(headText({ status, reason, headers: passed }), 'latin1');
  }

  /** Begins the answer. Throws when Node does not send such a one; the client has got nothing then. */
  begin({ status, reason, headers }: Head): void {
    const { request, response, ownNames } = this;
    const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304;
    // Trailers come after a body in chunks, which Node makes when its length is not known.
    const hasTrailers = hasBody && request.httpVersion !== '1.0' && headerOf(headers, 'content-length') === undefined;
    this.#hasTrailers = hasTrailers;
    const sent = headersForClient(headers, { ownNames, hasTrailers });
    if (this.cookie !== undefined) sent.push('set-cookie', this.cookie);
    response.writeHead(status, reason.replace(NOT_SENT, ''), sent);
    // A connection to the server that ends in another way than its headers say then changes nothing.
    if (!hasBody) response.end();
  }

  /** Sends a head that waits for its body, which may begin much later, as that of server-sent events. */
  flush(): void {
    const { headersSent, writableLength } = this.response;
    if (headersSent && writableLength === 0 && !this.isOver) this.response.flushHeaders();
  }

  /** Returns false when no more is to be sent before the response has emitted `drain`. */
  write(latin1: string): boolean {
    return this.response.write(latin1, 'latin1');
  }

  end(last: string, trailers: RawHeaders): void {
    if (this.isOver) return;
    if (this.#hasTrailers && trailers.length > 0) this.response.addTrailers(pairsOf(trailers));
    if (last === '') this.response.end();
    else this.response.end(last, 'latin1');
  }
}

/** Returns the head of an answer as it is sent. */
export function headText({ status, reason, headers }: Head): string {
  const lines = pairsOf(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`;
}
