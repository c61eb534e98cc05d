import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { forwarder, type Target } from '../../http/forwarder.ts';
import { listenOnFirst } from '../../http/ports.ts';
import { hasOneHost, NOT_ONE_HOST, type Refusal, refuse, refuseUpgrade } from '../../http/refusal.ts';
import { onWebSocket } from '../../http/websocket.ts';

/** The reverse proxy of an application. It keeps the clients' connections while releases change behind it. */
export interface AppProxy {
  /** Listens on the first of these ports that is free, else on any, and returns it; a second call returns the same. */
  open(candidates: Iterable<number>): Promise<number>;
  /** Serves a request to this port, or to the platform's own port with the application's Host header. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Passes a WebSocket through. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Sends all further requests to this server, or to none (`undefined`). Returns a function that waits until the
   * previous target has finished its requests, for at most that time.
   */
  pointTo(server: Target | undefined): (timeoutMs: number) => Promise<void>;
  /** Stops listening and cuts the connections. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 75_000;

/** A release's address and the number of its open requests. */
interface Release extends Target {
  busy: number;
  idle: () => void;
}

/**
 * Returns a proxy without a target.
 *
 * @param unavailable returns the sentence for requests that arrive while there is none
 * @param hosts the names of the application, above which its cookies are not valid
 */
export function appProxy(unavailable: () => string, hosts: readonly string[]): AppProxy {
  let target: Release | undefined;
  let opened: Promise<number> | undefined;
  const forward = forwarder(NO_ANSWER, hosts);
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (!hasOneHost(request)) return refuse(request, response, NOT_ONE_HOST);
    if (!target) return refuse(request, response, notNow(unavailable()));
    const release = occupy(target);
    response.once('close', release);
    forward.web(request, response, target);
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!hasOneHost(request)) return refuseUpgrade(socket, NOT_ONE_HOST);
    if (!target) return refuseUpgrade(socket, notNow(unavailable()));
    const release = occupy(target);
    socket.once('close', release);
    forward.upgrade(request, socket, head, target);
  };
  const server = createServer(serve);
  onWebSocket(server, upgrade);
  // Longer than usual clients and load balancers, so that they close idle connections first.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return {
    open: (candidates) => (opened ??= listenOnFirst(server, candidates)),
    serve,
    upgrade,
    pointTo: (server) => {
      const old = target;
      target = server && { ...server, busy: 0, idle: () => undefined };
      return (timeoutMs) => drained(old, timeoutMs);
    },
    close: async () => {
      if (opened) await opened.then(() => closed(server));
    },
  };
}

/** Counts a request in; the returned function counts it out, once. */
function occupy(target: Release): () => void {
  let done = false;
  target.busy += 1;
  return () => {
    if (done) return;
    done = true;
    target.busy -= 1;
    if (target.busy === 0) target.idle();
  };
}

function drained(target: Release | undefined, timeoutMs: number): Promise<void> {
  if (!target || target.busy === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    target.idle = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

const NO_ANSWER: Refusal = { status: 502, sentence: 'The application did not answer.' };

function notNow(sentence: string): Refusal {
  return { status: 503, sentence, headers: { 'retry-after': '1' } };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
