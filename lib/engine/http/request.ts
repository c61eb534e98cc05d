import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../../../functions/api/http.ts';
import { allowedOrigin } from '../../../functions/api/origins.ts';
import { clientAddress, type TrustsAddress } from '../../http/trusted-addresses.ts';

/** The part of a request that is known before its route and its login. */
export interface RequestHead extends Pick<HttpRequest, 'uuid' | 'method' | 'path' | 'headers' | 'base'> {
  /** The part after the question mark. */
  readonly search: string;
  readonly address: string;
  /** The origin of the page that sends it, when the operator allows its pages to; else null. */
  readonly origin: string | null;
}

export interface ReadOptions {
  /** Replaces the address that requests use. */
  readonly publicUrl: string | null;
  /** In lower case. */
  readonly allowedOrigins: readonly string[];
  /** Proxies: the address of their requests is that of their client. */
  readonly proxies?: TrustsAddress | undefined;
}

const PLAUSIBLE_HOST = /^(?:[a-z\d](?:[\w.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Reads everything but the body and the query of a request. */
export function readHead(message: IncomingMessage, { publicUrl, allowedOrigins, proxies }: ReadOptions): RequestHead {
  const headers = lastValues(message);
  const origin = allowedOrigin(headers.origin, allowedOrigins);
  // A page of an allowed origin counts as one of the service.
  if (origin !== null) headers['sec-fetch-site'] = 'same-origin';
  const [path, search] = splitTarget(message.url ?? '/');
  return {
    uuid: randomUUID(),
    method: message.method ?? 'GET',
    path,
    search,
    headers,
    origin,
    base: publicUrl ?? `${protocolOf(headers['x-forwarded-proto'])}://${headers.host}`,
    address: clientAddress(message, proxies) || '127.0.0.1',
  };
}

/** Returns the last value of each parameter: `+` is a space. */
export function queryOf(search: string): HttpRequest['query'] {
  // No prototype, because a client may send a parameter named __proto__.
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) query[name] = value;
  return query;
}

function lastValues(message: IncomingMessage): Record<string, string | undefined> {
  const last: Record<string, string | undefined> = Object.create(null);
  const { rawHeaders } = message;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) last[rawHeaders[at]?.toLowerCase() ?? ''] = rawHeaders[at + 1];
  last.host = hostOf(message);
  return last;
}

function splitTarget(target: string): [string, string] {
  // A proxy may send the absolute form, http://host/path.
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0 ? [origin || '/', ''] : [origin.slice(0, mark) || '/', origin.slice(mark + 1)];
}

/** The protocol becomes part of addresses in answers, so it is one of two. Of several proxies, the first is meant. */
function protocolOf(forwarded: string | undefined): string {
  const [first = ''] = (forwarded ?? '').split(',');
  return first.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

/** The host becomes part of addresses in answers too; what is no name or address is replaced by this server's own. */
function hostOf({ headers, socket }: IncomingMessage): string {
  const { host = '' } = headers;
  return PLAUSIBLE_HOST.test(host) ? host : `127.0.0.1:${socket.localPort}`;
}
