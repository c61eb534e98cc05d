import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

/** An open client and what came to it. */
export interface SocketClient {
  readonly socket: WebSocket;
  /** The next message that was not taken yet. */
  next(): Promise<string>;
  /** Code and reason of the close. */
  readonly closed: Promise<{ code: number; reason: string }>;
}

type Options = { readonly headers?: Record<string, string>; readonly protocols?: string[] };

/** Opens a connection; rejects when the server refuses. */
export async function openSocket(url: string, { headers = {}, protocols = [] }: Options = {}): Promise<SocketClient> {
  const socket = new WebSocket(url, protocols, { headers, perMessageDeflate: false });
  const waiting: string[] = [];
  const takers: ((message: string) => void)[] = [];
  socket.on('message', (data) => {
    const take = takers.shift();
    if (take) take(data.toString());
    else waiting.push(data.toString());
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(socket, 'open');
  socket.on('error', () => {});
  const next = (): Promise<string> => {
    const message = waiting.shift();
    return message === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(message);
  };
  return { socket, next, closed };
}

/** What a refused handshake is answered. */
export async function refusedSocket(
  url: string,
  options: Options = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const socket = new WebSocket(url, options.protocols ?? [], { headers: options.headers ?? {} });
  socket.on('error', () => {});
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    socket.once('unexpected-response', (_request, refusal) => resolve(refusal));
    socket.once('open', () => {
      socket.terminate();
      reject(new Error('the connection was accepted'));
    });
  });
  return { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) };
}
