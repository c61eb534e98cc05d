import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { sameSecret } from '../../functions/core/secrets.ts';

/** Whether an address is that of a proxy. */
export type TrustsAddress = (address: string | undefined) => boolean;

/** Whether what a request says about its own client (`X-Forwarded-*`) is believed. */
export type TrustsRequest = (request: IncomingMessage) => boolean;

/** How the proxy of this machine proves that it is one. */
export interface ProxyProof {
  /** The value of `PROOF_HEADER`. */
  readonly secret: string;
  /** Whether other programs of this machine are not believed. */
  isNeeded(): boolean;
  /** Called with each request that has the secret. */
  given(): void;
}

/** The header in which a proxy sends its secret. No application gets it. */
export const PROOF_HEADER = 'x-hooks-proxy';

/** Addresses whose answer is remembered. */
const MAX_REMEMBERED = 1000;

/** Returns whether a request comes from an address of the list, or has the secret, which it then has no more. */
export function trustedRequests(list: readonly string[], { secret, isNeeded, given }: ProxyProof): TrustsRequest {
  const isListed = addressesIn(list);
  const isProxy = trustedAddresses(list);
  return (request) => {
    const sent = request.headers[PROOF_HEADER];
    if (sent !== undefined) dropHeaders(request, isProof);
    const isProven = typeof sent === 'string' && sameSecret(sent, secret);
    if (isProven) given();
    const { remoteAddress } = request.socket;
    return isProven || (isNeeded() ? isListed : isProxy)(remoteAddress);
  };
}

function isProof(name: string): boolean {
  return name.toLowerCase() === PROOF_HEADER;
}

/**
 * Returns whether an address is one of this machine or in the list of addresses and networks (`10.0.0.0/8`): a reverse
 * proxy. Anyone else could pretend to be any client.
 */
export function trustedAddresses(list: readonly string[] = []): TrustsAddress {
  return addressesIn([...LOOPBACK, ...list]);
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

function addressesIn(list: readonly string[]): TrustsAddress {
  const trusted = new BlockList();
  for (const entry of list) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  // A look into the list takes longer than the rest of a request's head, and clients send many.
  const answers = new Map<string, boolean>();
  return (address = '') => {
    const remembered = answers.get(address);
    if (remembered !== undefined) return remembered;
    if (answers.size >= MAX_REMEMBERED) answers.clear();
    const isTrusted = isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
    answers.set(address, isTrusted);
    return isTrusted;
  };
}

/**
 * Returns the address that a request comes from: that of the connection, or behind proxies the last one in
 * `X-Forwarded-For` that is none of them. What stands before it was sent by the client, who may pretend anything.
 *
 * @param isProxy the proxies that were configured; without, the header is not looked at
 */
export function clientAddress({ headers, socket }: IncomingMessage, isProxy: TrustsAddress | undefined): string {
  let address = socket.remoteAddress ?? '';
  const hops = [headers['x-forwarded-for']].flat().join(',').split(',').reverse();
  for (const hop of hops.map(withoutPort)) {
    if (!isProxy?.(address) || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Some proxies add the port: `203.0.113.9:51234`, `[2001:db8::9]:51234`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop.trim()) ?? [];
  return bracketed ?? plain ?? hop.trim();
}

export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/**
 * Returns the `X-Forwarded-*` headers that a request lacks when it is passed on, names and values in turns. What it has was
 * set by a proxy that is trusted; hops of this machine add nothing, so that the application sees its client and not this
 * service.
 */
export function missingForwarded({ headers, socket }: IncomingMessage): string[] {
  const { host = '', 'x-forwarded-proto': protocol = 'http' } = headers;
  const missing: string[] = [];
  if (headers['x-forwarded-proto'] === undefined) missing.push('x-forwarded-proto', 'http');
  if (headers['x-forwarded-for'] === undefined) missing.push('x-forwarded-for', socket.remoteAddress ?? '');
  if (headers['x-forwarded-host'] === undefined) missing.push('x-forwarded-host', host);
  // The port that the client used: behind a proxy it is not the one of this socket.
  const port = /:(\d+)$/.exec(host)?.[1] ?? (protocol === 'https' ? '443' : '80');
  if (headers['x-forwarded-port'] === undefined) missing.push('x-forwarded-port', port);
  return missing;
}

const FORWARDED = /^(?:x-forwarded-.*|forwarded|x-real-ip)$/i;

/** Removes what a client says about its own client, which only a trusted proxy may say. */
export function dropForwarded(request: IncomingMessage): void {
  dropHeaders(request, (name) => FORWARDED.test(name));
}

function dropHeaders({ headers, rawHeaders }: IncomingMessage, isDropped: (name: string) => boolean): void {
  for (const name of Object.keys(headers)) if (isDropped(name)) delete headers[name];
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (isDropped(rawHeaders[at] ?? '')) rawHeaders.splice(at, 2);
  }
}
