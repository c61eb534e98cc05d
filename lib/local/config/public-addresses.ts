import type { PublicDomain } from '../../http/app-domain.ts';
import {
  type ProxyProof,
  type TrustsAddress,
  type TrustsRequest,
  trustedAddresses,
  trustedRequests,
} from '../../http/trusted-addresses.ts';
import type { Config } from './schema.ts';

/** The service's addresses for other machines. */
export interface PublicAddresses {
  /** Address of the API, without a slash at the end. */
  readonly service: string;
  /** Absent without `appsDomain`: then only the service has a public address. */
  readonly apps?: PublicDomain;
  /** Address of the repository host, one label below the domain of the applications. */
  readonly repositories?: string;
  /** Address of the WebSocket of signals: beside that of the repository host, or else a path of the service. */
  readonly signals: string;
}

/** Returns the address of the WebSocket of signals at the service's own address. */
export function signalsAt(service: string): string {
  return `${service.replace(/^http/i, 'ws')}/signals`;
}

/**
 * Returns the public addresses, or undefined for a machine without any. Applications have two labels below
 * `appsDomain`, the service and its programs one, so that they never meet and one wildcard DNS record is for all.
 * Protocol and port are those of `publicUrl`.
 */
export function publicAddresses({ appsDomain, publicUrl }: Config): PublicAddresses | undefined {
  if (appsDomain === undefined) return publicUrl === undefined ? undefined : onlyService(withoutSlash(publicUrl));
  const service = withoutSlash(publicUrl ?? `https://deploy.${appsDomain}`);
  const { protocol, port } = new URL(service);
  const isSecure = protocol === 'https:';
  const end = `${appsDomain}${port && `:${port}`}`;
  return {
    service,
    apps: { domain: appsDomain, protocol: isSecure ? 'https:' : 'http:', port },
    repositories: `${protocol}//git.${end}`,
    signals: `${isSecure ? 'wss:' : 'ws:'}//signals.${end}`,
  };
}

function onlyService(service: string): PublicAddresses {
  return { service, signals: signalsAt(service) };
}

function withoutSlash(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}

/** Returns the host names of the service itself, for which there may be certificates. */
export function ownHosts(addresses: PublicAddresses | undefined): readonly string[] {
  const { service, repositories, signals } = addresses ?? {};
  return [service, repositories, signals].flatMap((address) => (address === undefined ? [] : [hostOf(address)]));
}

/** Returns the host name of an address; empty for none. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}

/**
 * Returns whose `X-Forwarded-*` headers are believed. Login throttling trusts `X-Forwarded-For` only when the configuration
 * names a proxy; then a program of this machine is one that has proved it.
 */
export function proxiesOf(
  config: Config,
  proof: ProxyProof,
): { readonly trusts: TrustsRequest; readonly proxies?: TrustsAddress } {
  const proxies = trustedAddresses(config.trustedProxies);
  const hasProxy = [config.publicUrl, config.appsDomain, config.trustedProxies].some(
    (setting) => setting !== undefined,
  );
  if (!hasProxy) return { trusts: ({ socket }) => proxies(socket.remoteAddress) };
  return { trusts: trustedRequests(config.trustedProxies ?? [], proof), proxies };
}
