import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind } from './address.ts';

/** The URLs and IP addresses that may be called for a repository host. */
export interface AddressPolicy {
  /** Throws `RefusedAddress` unless the URL belongs to the host. */
  check(url: URL): void;
  /** For `node:http`: resolves a name, and fails if it resolves to an address that must not be connected to. */
  readonly lookup: LookupFunction;
}

/** Resolves a name to all of its addresses, as `dns.lookup` does. */
export type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressPolicyOptions {
  /** Base URL of the host's API, from the service's configuration. */
  readonly api: string;
  readonly web: string;
  /** Further hosts (`name` or `name:port`) that tarballs may be redirected to, besides `codeload.<web host>`. */
  readonly downloadHosts?: readonly string[] | undefined;
  /** Whether the names may resolve to private addresses: a host in the operator's own network. */
  readonly privateNetwork?: boolean | undefined;
  /** Resolves names; `dns.lookup` by default. */
  readonly resolve?: ResolveAll | undefined;
}

/** The address must not be called. Not retryable. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Returns the policy of a configured host: its API, web pages and downloads, over https unless the API is configured as
 * plain http on this machine. Resolved addresses are checked in the same lookup that the connection uses, which
 * prevents DNS rebinding.
 */
export function addressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const api = new URL(options.api);
  const web = new URL(options.web);
  const hosts = new Set([api.host, web.host, `codeload.${web.host}`, ...(options.downloadHosts ?? [])]);
  const configured = new Set([api.hostname, web.hostname]);
  const allowed = (hostname: string, address: string): boolean => {
    const kind = addressKind(address);
    if (kind === 'public' || (kind === 'private' && options.privateNetwork === true)) return true;
    // A literal address or `localhost` in the configuration is always allowed: `http://127.0.0.1:4000`.
    return configured.has(hostname) && (isIP(bare(hostname)) !== 0 || hostname === 'localhost');
  };
  return {
    check: (url) => checkUrl(url, { hosts, plain: api.protocol === 'http:', allowed }),
    lookup: guardedLookup(allowed, options.resolve ?? systemLookup),
  };
}

interface Rules {
  readonly hosts: ReadonlySet<string>;
  readonly plain: boolean;
  allowed(hostname: string, address: string): boolean;
}

function checkUrl(url: URL, rules: Rules): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.plain)) {
    throw new RefusedAddress(`${url.protocol}// is not called, only https://`);
  }
  if (url.username !== '' || url.password !== '')
    throw new RefusedAddress('an address with a login in it is not called');
  if (!rules.hosts.has(url.host)) throw new RefusedAddress(`${url.host} is not one of the hosts configured for it`);
  // Literal addresses are not passed to `lookup`.
  const literal = bare(url.hostname);
  if (isIP(literal) !== 0 && !rules.allowed(url.hostname, literal)) {
    throw new RefusedAddress(`${literal} is not a public address`);
  }
}

function guardedLookup(allowed: Rules['allowed'], resolve: ResolveAll): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const bad = error ? undefined : addresses.find(({ address }) => !allowed(hostname, address));
      const [first] = error ? [] : addresses;
      if (error) return callback(error, []);
      if (bad) return callback(notPublic(hostname, bad.address), []);
      if (options.all) return callback(null, addresses);
      if (first) return callback(null, first.address, first.family);
      callback(new Error(`${hostname} has no address`), []);
    });
  };
}

function notPublic(hostname: string, address: string): RefusedAddress {
  const hint = addressKind(address) === 'private' ? '; if that is meant, set "privateNetwork": true for this host' : '';
  return new RefusedAddress(`${hostname} resolves to ${address}, which is not a public address${hint}`);
}

/** Returns a host name without the brackets that URLs write around IPv6 addresses. */
function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
