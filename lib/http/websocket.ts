import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Headers that ask for another protocol: https://www.rfc-editor.org/rfc/rfc7540#section-3.2.1 */
const ASKS = /^(?:connection|upgrade|http2-settings)$/i;

/** Whether a request asks for a WebSocket, the only other protocol that is spoken here. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Handles a request for another protocol, as the event `upgrade` of a server. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Lets a server take WebSockets. A request for any other protocol, such as the offer of HTTP/2 that `curl --http2`
 * makes, is served as if it had not asked: https://www.rfc-editor.org/rfc/rfc9110#section-7.8
 */
export function onWebSocket(server: Server, take: UpgradeHandler): void {
  // From Node 22.21 and 24.9 the server asks this, and drops what comes behind such a request in one packet; before, it leaves
  // the connection to the listener at every such request.
  Object.assign(server, { shouldUpgradeCallback: asksForWebSocket });
  server.on('upgrade', (request, socket, head) => {
    if (asksForWebSocket(request)) return take(request, socket, head);
    // The server has taken its own listeners away.
    socket.on('error', ignore);
    socket.unshift(Buffer.concat([headOf(request), head]));
    readAgain(server, socket);
  });
}

/** Gives the connection back to the server, when the answers to earlier requests on it have been sent. */
function readAgain(server: Server, socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): void {
  if (!socket.writable) return;
  if (socket._httpMessage) return void socket._httpMessage.once('close', () => readAgain(server, socket));
  // After an answer the server would wait for the next request for a limited time only.
  if (socket instanceof Socket) socket.setTimeout(0);
  socket.off('error', ignore);
  server.emit('connection', socket);
}

function ignore(): void {}

/** The head of a request without the headers that ask for another protocol. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (!ASKS.test(rawHeaders[at] ?? '')) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

// Bits of a frame's header: https://www.rfc-editor.org/rfc/rfc6455#section-5.2
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;
const TWO_BYTE_LENGTH = 126;
const EIGHT_BYTE_LENGTH = 127;

/**
 * Returns a listener that reads the frame headers in a client's bytes, and calls `exceeded` for each frame that
 * announces more than `limit` bytes. The `ws` library limits whole messages only. It requires connections without
 * extensions, which API Gateway does not negotiate either.
 */
export function frameMeter(limit: number, exceeded: () => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(10);
  let headerBytes = 0;
  let toSkip = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const step = Math.min(toSkip, chunk.length - at);
      toSkip -= step;
      at += step;
      if (at === chunk.length) return;
      header[headerBytes++] = chunk[at++] ?? 0;
      const length = payloadLength(header, headerBytes);
      if (length === undefined) continue;
      toSkip = length + ((header[1] ?? 0) & MASKED ? 4 : 0);
      headerBytes = 0;
      if (length > limit) exceeded();
    }
  };
}

/** Returns the length that a header announces; undefined while the header is incomplete. */
function payloadLength(header: Buffer, bytes: number): number | undefined {
  if (bytes < 2) return undefined;
  const short = (header[1] ?? 0) & LENGTH_BITS;
  if (short < TWO_BYTE_LENGTH) return short;
  if (short === TWO_BYTE_LENGTH) return bytes < 4 ? undefined : header.readUInt16BE(2);
  return short === EIGHT_BYTE_LENGTH && bytes === 10 ? Number(header.readBigUInt64BE(2)) : undefined;
}
