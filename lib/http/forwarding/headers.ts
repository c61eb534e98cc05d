import type { IncomingMessage } from 'node:http';
import { missingForwarded } from '../trusted-addresses.ts';
import type { Target } from './target.ts';

/** Names and values in turns, as they came: https://nodejs.org/api/http.html#messagerawheaders */
export type RawHeaders = readonly string[];

/** They concern one connection only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'upgrade', 'http2-settings'],
]);
/** Without them the next server could read the body differently, or take the request for that of another client. */
const KEPT = /^(?:host|content-length|transfer-encoding|forwarded|x-forwarded-.+)$/;
const NO_NAMES: ReadonlySet<string> = new Set();

/** Returns the headers of a request for the server behind this program. They say nothing about the connection to it. */
export function headersForServer(
  request: IncomingMessage,
  { host, port, ownHost = false, withoutLogin = false }: Target,
): string[] {
  const { rawHeaders, headers } = request;
  const named = namesIn(headers.connection);
  const isChunked = headers['transfer-encoding'] !== undefined;
  const sent = passedOn(rawHeaders, named, (name, value) => {
    if (name === 'host' && ownHost) return `${host}:${port}`;
    if (name === 'authorization' && withoutLogin) return undefined;
    return name === 'trailer' && !isChunked ? undefined : value;
  });
  if (headers.host === undefined) sent.push('host', `${host}:${port}`);
  if (named.has('te') && /\btrailers\b/i.test(String(headers.te))) sent.push('te', 'trailers');
  sent.push(...missingForwarded(request));
  return sent;
}

interface ForClient {
  /** The host names of the server, above which its cookies must not be valid. */
  readonly ownNames: readonly string[];
  readonly hasTrailers: boolean;
}

/** Returns the headers of an answer for a client. How its body is sent, and whether its connection is kept, is for Node to say. */
export function headersForClient(raw: RawHeaders, { ownNames, hasTrailers }: ForClient): string[] {
  return passedOn(raw, namesIn(headerOf(raw, 'connection')), (name, value) => {
    if (name === 'set-cookie') return ownCookie(value, ownNames);
    return name === 'transfer-encoding' || (name === 'trailer' && !hasTrailers) ? undefined : value;
  });
}

/** Returns the headers that are not for one connection only, each with the value that `change` returns; without one, none. */
function passedOn(
  raw: RawHeaders,
  named: ReadonlySet<string>,
  change: (lowerCaseName: string, value: string) => string | undefined,
): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (HOP.has(lower) || (named.has(lower) && !KEPT.test(lower))) continue;
    const value = change(lower, raw[at + 1] ?? '');
    if (value !== undefined) passed.push(name, value);
  }
  return passed;
}

/** Returns the names of other headers in `Connection`. */
function namesIn(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return NO_NAMES;
  const names = connection.toLowerCase().split(',');
  return new Set(names.map((name) => name.trim()));
}

/** Returns the value of a header, the values of several in one; undefined without one. */
export function headerOf(raw: RawHeaders, lowerCaseName: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.length !== lowerCaseName.length || raw[at]?.toLowerCase() !== lowerCaseName) continue;
    found = found === undefined ? raw[at + 1] : `${found}, ${raw[at + 1]}`;
  }
  return found;
}

/** Returns names and values as pairs. */
export function pairsOf(raw: RawHeaders): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}

/**
 * Removes `Domain` from a cookie that would be sent to the names above an application's own ones, where other
 * applications and the service are. Such a cookie is then for the application alone.
 */
function ownCookie(cookie: string, ownNames: readonly string[]): string {
  const [value, ...attributes] = cookie.split(';');
  return [value, ...attributes.filter((one) => !isAbove(one, ownNames))].join(';');
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
