import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createProxyServer } from 'httpxy';
import { completeForwarded } from './forwarded.ts';
import { dropHopHeaders } from './hop-headers.ts';
import { keepCookiesOwn } from './own-cookies.ts';
import { type Refusal, refuse, refuseUpgrade } from './refusal.ts';

/** A server of this machine. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Whether it gets its own address as Host, and not that of the request. */
  readonly ownHost?: boolean;
}

/** Passes requests on to servers of this machine. */
export interface Forwarder {
  web(request: IncomingMessage, response: ServerResponse, target: Target): void;
  /** Passes a request for a WebSocket on. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void;
}

/**
 * Returns a forwarder of requests; when the server does not answer, the refusal is sent.
 *
 * @param ownNames the host names of the server, above which its cookies must not be valid; default: any may be
 */
export function forwarder(noAnswer: Refusal, ownNames: readonly string[] = []): Forwarder {
  // A connection per request: the server may close a kept one at the moment it is used again, and the request would
  // fail. On the loopback interface a new connection takes a tenth of a millisecond.
  const proxy = createProxyServer({ agent: false, prependPath: false });
  // `Connection` concerns the hop to the server only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
  proxy.on('proxyRes', (answer) => {
    delete answer.headers.connection;
    delete answer.headers['keep-alive'];
    keepCookiesOwn(answer.headers, ownNames);
  });
  proxy.on('proxyReqWs', (sent) => {
    for (const event of ['upgrade', 'response']) sent.on(event, ({ headers }) => keepCookiesOwn(headers, ownNames));
  });
  proxy.on('error', (_error, request, to) => {
    if (to instanceof ServerResponse && request) refuse(request, to, noAnswer);
    // An upgraded connection speaks another protocol by now.
    else if (to instanceof Socket && to.bytesWritten === 0) refuseUpgrade(to, noAnswer);
    else if (to instanceof Socket) to.destroy();
  });
  return {
    web: (request, response, target) => {
      dropHopHeaders(request, false);
      completeForwarded(request);
      proxy.web(request, response, optionsFor(target)).catch(() => response.destroy());
    },
    upgrade: (request, socket, head, target) => {
      if (!(socket instanceof Socket)) return void socket.destroy();
      socket.on('error', () => socket.destroy());
      dropHopHeaders(request, true);
      completeForwarded(request);
      proxy.ws(request, socket, optionsFor(target), head).catch(() => socket.destroy());
    },
  };
}

function optionsFor({ host, port, ownHost = false }: Target) {
  return { target: { protocol: 'http:', host, port }, changeOrigin: ownHost };
}
