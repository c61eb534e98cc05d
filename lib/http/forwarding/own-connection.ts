import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { MOST_INFORMED } from './answer-reader.ts';
import { pairsOf } from './headers.ts';
import type { Head, Reply } from './reply.ts';
import { toOwner } from './taken-port.ts';
import { HEADER_BYTES, type Target } from './target.ts';

/**
 * Goes on reading when it can no longer be written: a server may have answered, and closed its end, before it has read the
 * whole request. When there was no answer, reading fails too.
 */
class ReadingSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: () => void): void {
    super._write(chunk, encoding, () => done());
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: () => void): void {
    super._writev?.(chunks, () => done());
  }
}

/** Begins a request on a new connection, which is for this request alone. */
export function openRequest(request: IncomingMessage, target: Target, headers: string[]): ClientRequest {
  const { host, port } = target;
  return httpRequest({
    ...(request.method && { method: request.method }),
    ...(request.url && { path: request.url }),
    headers,
    maxHeaderSize: HEADER_BYTES,
    createConnection: () => toOwner(new ReadingSocket(), target).connect({ host, port, noDelay: true }),
  });
}

/** Sends a request with its body, and passes the answer on. `failed` is called when there is none. */
export function sendAlone(reply: Reply, target: Target, headers: string[], failed: (error?: Error) => void): void {
  const { request, response } = reply;
  // A server that is told to close the connection may do it before it has read the body, and the answer would be lost.
  const sent = openRequest(request, target, [...headers, 'connection', 'keep-alive']);
  let cause: Error | undefined;
  let answered = false;
  sent.on('error', (error) => {
    cause = error;
  });
  sent.once('close', () => {
    request.unpipe(sent);
    // Else the rest of the body would block the next request of the client's connection.
    request.resume();
    if (!answered) failed(cause);
  });
  response.once('close', () => sent.destroy());
  let informed = 0;
  sent.on('information', (message) => {
    informed += 1;
    if (informed > MOST_INFORMED) sent.destroy(new Error('Too many answers of 1xx come before the answer.'));
    else reply.inform(headOf(message));
  });
  sent.once('response', (answer) => {
    try {
      reply.begin(headOf(answer));
      answered = true;
    } catch (error) {
      return sent.destroy(error instanceof Error ? error : undefined);
    }
    passAnswer(answer, reply);
    answer.once('end', () => sent.destroy());
  });
  sendBody(request, sent);
}

function passAnswer(answer: IncomingMessage, reply: Reply): void {
  const { response } = reply;
  answer.on('error', () => response.destroy());
  answer.on('data', (chunk) => {
    if (!reply.isOver && !response.write(chunk)) answer.pause();
  });
  response.on('drain', () => answer.resume());
  answer.once('end', () => reply.end('', answer.rawTrailers));
  setImmediate(() => reply.flush());
}

function sendBody(request: IncomingMessage, sent: ClientRequest): void {
  request.once('end', () => {
    if (request.rawTrailers.length > 0) sent.addTrailers(pairsOf(request.rawTrailers));
    sent.end();
  });
  request.pipe(sent, { end: false });
}

/** Returns the head of an answer that Node has read. */
export function headOf(answer: Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>): Head {
  return { status: answer.statusCode ?? 0, reason: answer.statusMessage ?? '', headers: answer.rawHeaders };
}
