import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind } from './address.ts';

/** Which addresses a repository host may be called at. */
export interface AddressPolicy {
  /** Throws a `RefusedAddress` unless the URL is one of the host's own. */
  check(url: URL): void;
  /** For `node:http`: resolves a name and gives only addresses that may be connected to. */
  readonly lookup: LookupFunction;
}

export interface AddressPolicyOptions {
  /** Base address of the host's API, from the service's configuration. */
  readonly api: string;
  /** Address of the host's pages. */
  readonly web: string;
  /** More hosts (`name` or `name:port`) that tarballs may be redirected to; `codeload.<web host>` is known anyway. */
  readonly downloadHosts?: readonly string[] | undefined;
  /** Whether the names may resolve to private addresses: a host inside one's own network. */
  readonly privateNetwork?: boolean | undefined;
  /** How names are resolved; the system's way unless a test says otherwise. */
  readonly resolve?: typeof systemLookup | undefined;
}

/** An address that must not be called. Trying again cannot help. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * The addresses that belong to a configured host: its API, its pages, its downloads, https only unless the API itself was
 * configured as plain http on this machine. Names are checked again by what they resolve to, in the very lookup whose
 * result is connected to, so that a name that changes its mind between check and use (DNS rebinding) gains nothing.
 */
export function addressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const api = new URL(options.api);
  const web = new URL(options.web);
  const hosts = new Set([api.host, web.host, `codeload.${web.host}`, ...(options.downloadHosts ?? [])]);
  const configured = new Set([api.hostname, web.hostname]);
  const allowed = (hostname: string, address: string): boolean => {
    const kind = addressKind(address);
    if (kind === 'public' || (kind === 'private' && options.privateNetwork === true)) return true;
    // `http://127.0.0.1:4000` in the configuration means just that.
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
  // A literal address never passes through the lookup.
  const literal = bare(url.hostname);
  if (isIP(literal) !== 0 && !rules.allowed(url.hostname, literal)) {
    throw new RefusedAddress(`${literal} is not a public address`);
  }
}

function guardedLookup(allowed: Rules['allowed'], resolve: typeof systemLookup): LookupFunction {
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

/** A URL's host name writes IPv6 in brackets. */
function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
