import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createProxyServer } from 'httpxy';
import { hasCode } from '../files/errors.ts';
import { type Refusal, refuse, refuseUpgrade } from './refusal.ts';
import { completeForwarded } from './trusted-addresses.ts';

/** The most bytes of the headers of a request, and of an answer, on each way to an application; Node's own is 16 KiB. */
export const HEADER_BYTES = 64 * 1024;

/** A server of this machine. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Whether it gets its own address as Host, and not that of the request. */
  readonly ownHost?: boolean;
}

/** Passes requests on to servers of this machine. */
interface Forwarder {
  web(request: IncomingMessage, response: ServerResponse, target: Target): void;
  /** Passes a request for a WebSocket on. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void;
}

interface ForwarderOptions {
  /** The host names of the server, above which its cookies must not be valid; default: any may be. */
  readonly ownNames?: () => readonly string[];
  /** Called when nothing listens at the address of the server. */
  readonly onRefused?: () => void;
}

/** Returns a forwarder of requests; when the server does not answer, the refusal is sent. */
export function forwarder(
  noAnswer: Refusal,
  { ownNames = () => [], onRefused = () => {} }: ForwarderOptions = {},
): Forwarder {
  // A connection per request: the server may close a kept one at the moment it is used again, and the request would
  // fail. On the loopback interface a new connection takes a tenth of a millisecond.
  const proxy = createProxyServer({ agent: false, prependPath: false });
  // `Connection` concerns the hop to the server only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
  proxy.on('proxyRes', (answer) => {
    delete answer.headers.connection;
    delete answer.headers['keep-alive'];
    keepCookiesOwn(answer.headers, ownNames());
  });
  proxy.on('proxyReqWs', (sent) => {
    for (const event of ['upgrade', 'response']) sent.on(event, ({ headers }) => keepCookiesOwn(headers, ownNames()));
  });
  proxy.on('error', (error, request, to) => {
    if (hasCode(error, 'ECONNREFUSED')) onRefused();
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
  // The library begins the options of its request with `ssl`, and has no other way to give one to Node.
  return { target: { protocol: 'http:', host, port }, changeOrigin: ownHost, ssl: { maxHeaderSize: HEADER_BYTES } };
}

/** They concern one connection only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const HOP = ['keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade', 'http2-settings'];
/** Without them the next server could read the body differently, or take the request for that of another client. */
const KEPT = /^(?:host|content-length|transfer-encoding|forwarded|x-forwarded-.+)$/;

/**
 * Removes the headers that are not for the server behind this program, also those that `Connection` names. A request for
 * a WebSocket keeps what asks for it.
 */
function dropHopHeaders({ headers }: IncomingMessage, isUpgrade: boolean): void {
  const { connection = '', upgrade } = headers;
  const named = connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  for (const name of [...HOP, ...named]) if (!KEPT.test(name)) delete headers[name];
  // Keep the client's choice for its own connection, which the answer repeats.
  const choice = named.find((name) => name === 'close' || name === 'keep-alive');
  delete headers.connection;
  if (isUpgrade) Object.assign(headers, { connection: 'Upgrade', upgrade });
  else if (choice !== undefined) headers.connection = choice;
}

/**
 * Removes `Domain` from cookies that would be sent to the names above an application's own ones, where other
 * applications and the service are. Such a cookie is then for the application alone.
 */
function keepCookiesOwn(headers: IncomingHttpHeaders, ownNames: readonly string[]): void {
  const cookies = headers['set-cookie'];
  if (!cookies) return;
  headers['set-cookie'] = cookies.map((cookie) => {
    const [value, ...attributes] = cookie.split(';');
    return [value, ...attributes.filter((one) => !isAbove(one, ownNames))].join(';');
  });
}

/** Whether the attribute of a cookie is a domain that contains one of the names. */
function isAbove(attribute: string, names: readonly string[]): boolean {
  const [, value] = /^\s*domain\s*=(.*)$/i.exec(attribute) ?? [];
  // Clients differ in quotes, and in dots at the ends.
  const domain = value
    ?.toLowerCase()
    .replace(/[^\w.-]/g, '')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
  return domain !== undefined && names.some((name) => name.endsWith(`.${domain}`));
}
