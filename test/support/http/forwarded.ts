import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket, createServer as socketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import { forwarder } from '../../../lib/http/forwarder.ts';
import type { Target } from '../../../lib/http/forwarding/target.ts';
import { doorServer } from '../../../lib/http/servers.ts';

/** A server behind a door of its own. */
export interface Forwarded {
  /** The port of the door. */
  readonly port: number;
  readonly target: Target;
  /** How many connections the server has got. */
  readonly connections: () => number;
  /** Closes the connections to the server that are kept. */
  readonly leave: () => void;
}

const open = new Set<Server>();
const sockets = new Set<Socket>();

/** Ends all that the tests of a file have opened, after each. */
export function endAfterEach(): void {
  afterEach(() => {
    for (const server of open) server.close();
    for (const socket of sockets) socket.destroy();
    open.clear();
    sockets.clear();
  });
}

/** Answers 502 when the server does not answer, and 503 when nothing listens. */
export async function forwarded(server: Server, ownNames: readonly string[] = []): Promise<Forwarded> {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const target = { host: '127.0.0.1', port: await listening(server) };
  const forward = forwarder(
    { status: 502, sentence: 'No answer.' },
    { notListening: { status: 503, sentence: 'Nothing listens.' }, ownNames: () => ownNames },
  );
  const door = doorServer({
    serve: (request, response) => forward.web(request, response, target),
    upgrade: (request, socket, head) => forward.upgrade(request, socket, head, target),
  });
  return {
    port: await listening(door),
    target,
    connections: () => connections,
    leave: () => forward.leave(target),
  };
}

async function listening(server: Server): Promise<number> {
  open.add(server);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export function application(listener: RequestListener): HttpServer {
  return createServer({ keepAliveTimeout: 60_000 }, listener);
}

/** A server that gets the bytes of each request's head, without a parser; `answer` is called for each. */
export function bytes(answer: (socket: Socket, head: string, number: number) => void): Server {
  return socketServer((socket) => {
    let number = 0;
    let read = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1');
      for (let end = read.indexOf('\r\n\r\n'); end >= 0; end = read.indexOf('\r\n\r\n')) {
        const head = read.slice(0, end);
        read = read.slice(end + 4);
        // Not the end of a body in chunks.
        if (/^[A-Z]+ /.test(head)) answer(socket, head, ++number);
      }
    });
  });
}

/** Sends lines and returns all that comes back until the connection is closed. */
export function exchange(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

/** The lines of a request whose connection is closed after the answer. */
export function ask(method: string, ...more: readonly string[]): readonly string[] {
  return [`${method} / HTTP/1.1`, 'Host: app.test', 'Connection: close', ...more, '', ''];
}
