import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createProxyServer } from 'httpxy';
import { listenOnFirst } from '../../processes/ports.ts';

/** The server before an application. It owns the clients' connections, so that releases change without anyone noticing. */
export interface Front {
  /** Listens on the first free one of these ports and gives it; a second call gives the same. */
  open(candidates: Iterable<number>): Promise<number>;
  /** Serves a request that came in here or, by its Host header, on the platform's own port. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Passes a WebSocket through. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Sends all further requests to this port, or none (`undefined`). Gives a function that resolves when the requests of the
   * target before are finished, at the latest after so many milliseconds.
   */
  pointTo(port: number | undefined): (milliseconds: number) => Promise<void>;
  /** Stops listening and cuts the connections. */
  close(): Promise<void>;
}

/** A release's port and how many requests it is working on. */
interface Target {
  readonly port: number;
  busy: number;
  idle: () => void;
}

/** Makes an application's front; `absent` says, in one sentence, why there is nothing to serve with at the moment. */
export function front(absent: () => string): Front {
  let target: Target | undefined;
  let opened: Promise<number> | undefined;
  const proxy = proxyTo();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (!target) return refuse(response, 503, absent());
    const release = occupy(target);
    response.once('close', release);
    proxy
      .web(request, response, { target: addressOf(target) })
      .catch(() => refuse(response, 502, 'The application did not answer.'));
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!target || !isSocket(socket)) return void socket.destroy();
    const release = occupy(target);
    socket.once('close', release);
    socket.on('error', () => socket.destroy());
    proxy.ws(request, socket, { target: addressOf(target) }, head).catch(() => socket.destroy());
  };
  const server = createServer(serve).on('upgrade', upgrade);
  // Longer than what usual clients and balancers wait, so that it is they who close an idle connection.
  server.keepAliveTimeout = 75_000;
  return {
    open: (candidates) => (opened ??= listenOnFirst(server, candidates)),
    serve,
    upgrade,
    pointTo: (port) => {
      const old = target;
      target = port === undefined ? undefined : { port, busy: 0, idle: () => undefined };
      return (milliseconds) => drained(old, milliseconds);
    },
    close: async () => {
      if (opened) await opened.then(() => closed(server));
    },
  };
}

function proxyTo() {
  // A connection per request: one kept from before may be closed by the application at the moment it is used again, and
  // that would be a failed request. On the loopback interface a new one takes a tenth of a millisecond.
  const proxy = createProxyServer({ agent: false, xfwd: true, prependPath: false });
  // `Connection` is about the hop to the application, not about the client's: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
  proxy.on('proxyRes', (answer) => {
    delete answer.headers.connection;
    delete answer.headers['keep-alive'];
  });
  return proxy;
}

function addressOf({ port }: Target) {
  return { protocol: 'http:', host: '127.0.0.1', port };
}

/** Counts a request in; the returned function counts it out, once. */
function occupy(target: Target): () => void {
  let done = false;
  target.busy += 1;
  return () => {
    if (done) return;
    done = true;
    target.busy -= 1;
    if (target.busy === 0) target.idle();
  };
}

function drained(target: Target | undefined, milliseconds: number): Promise<void> {
  if (!target || target.busy === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    target.idle = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) return void response.destroy();
  const retry = status === 503 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...retry });
  response.end(`${JSON.stringify({ error: sentence })}\n`);
}

function isSocket(socket: Duplex): socket is Socket {
  return 'setKeepAlive' in socket;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
