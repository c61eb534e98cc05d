import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createProxyServer } from 'httpxy';
import { listenOnFirst } from '../../processes/ports.ts';

/** The reverse proxy of an application. It keeps the clients' connections while releases change behind it. */
export interface AppProxy {
  /** Listens on the first of these ports that is free, else on any, and returns it; a second call returns the same. */
  open(candidates: Iterable<number>): Promise<number>;
  /** Serves a request to this port, or to the platform's own port with the application's Host header. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Passes a WebSocket through. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Sends all further requests to this port, or to none (`undefined`). Returns a function that waits until the previous
   * target has finished its requests, for at most that time.
   */
  pointTo(port: number | undefined): (timeoutMs: number) => Promise<void>;
  /** Stops listening and cuts the connections. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 75_000;

/** A release's port and the number of its open requests. */
interface Target {
  readonly port: number;
  busy: number;
  idle: () => void;
}

/**
 * Returns a proxy without a target; `unavailable` returns the sentence for requests that arrive while there is none.
 */
export function appProxy(unavailable: () => string): AppProxy {
  let target: Target | undefined;
  let opened: Promise<number> | undefined;
  const forward = forwarder();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (!target) return refuse(response, 503, unavailable());
    const release = occupy(target);
    response.once('close', release);
    forward
      .web(request, response, { target: addressOf(target) })
      .catch(() => refuse(response, 502, 'The application did not answer.'));
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!target || !isSocket(socket)) return void socket.destroy();
    const release = occupy(target);
    socket.once('close', release);
    socket.on('error', () => socket.destroy());
    forward.ws(request, socket, { target: addressOf(target) }, head).catch(() => socket.destroy());
  };
  const server = createServer(serve).on('upgrade', upgrade);
  // Longer than usual clients and load balancers, so that they close idle connections first.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return {
    open: (candidates) => (opened ??= listenOnFirst(server, candidates)),
    serve,
    upgrade,
    pointTo: (port) => {
      const old = target;
      target = port === undefined ? undefined : { port, busy: 0, idle: () => undefined };
      return (timeoutMs) => drained(old, timeoutMs);
    },
    close: async () => {
      if (opened) await opened.then(() => closed(server));
    },
  };
}

function forwarder() {
  // A connection per request: the application may close a kept one at the moment it is used again, and the request
  // would fail. On the loopback interface a new connection takes a tenth of a millisecond.
  const proxy = createProxyServer({ agent: false, xfwd: true, prependPath: false });
  // `Connection` concerns the hop to the application only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
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

function drained(target: Target | undefined, timeoutMs: number): Promise<void> {
  if (!target || target.busy === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
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
