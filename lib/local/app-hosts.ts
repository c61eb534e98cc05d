import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createProxyServer } from 'httpxy';

/** The host name of an application: `<app>.<user>.localhost`, which browsers resolve to this machine by themselves. */
const APP_HOST = /^[a-z\d-]+\.[a-z\d-]+\.localhost(?::\d+)?$/i;

/**
 * Returns what serves the applications on the API's port: requests to `<app>.<user>.localhost` go to the platform,
 * which knows the applications by these names.
 */
export function appHosts(platformPort: number) {
  // A connection per request, because the platform may close a kept one at the moment it is used again.
  const proxy = createProxyServer({ agent: false, xfwd: true, prependPath: false });
  const target = { protocol: 'http:', host: '127.0.0.1', port: platformPort };
  return {
    takes: ({ headers }: IncomingMessage) => APP_HOST.test(headers.host ?? ''),
    serve: (request: IncomingMessage, response: ServerResponse) => {
      proxy.web(request, response, { target }).catch(() => refuse(response));
    },
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isSocket(socket)) return void socket.destroy();
      socket.on('error', () => socket.destroy());
      proxy.ws(request, socket, { target }, head).catch(() => socket.destroy());
    },
  };
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end('{"error":"The platform does not answer yet; try again in a moment."}\n');
}

function isSocket(socket: Duplex): socket is Socket {
  return 'setKeepAlive' in socket;
}
