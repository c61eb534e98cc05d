import type { PublicDomain } from '../../processes/http/app-domain.ts';
import type { Config } from './schema.ts';

/** Where the service is reached from other machines. */
export interface PublicAddresses {
  /** Address of the API, without a slash at the end. */
  readonly service: string;
  /** Absent without `appsDomain`: then only the service has a public address. */
  readonly apps?: PublicDomain;
  /**
   * Addresses of the repository host and of the WebSocket of signals, one label below the domain of the applications.
   */
  readonly repositories?: string;
  readonly signals?: string;
}

/**
 * Returns the public addresses, or undefined for a machine that is used by itself. Applications have two labels below
 * `appsDomain`, the service and its programs one, so that they never meet and one wildcard DNS record is for all.
 * Protocol and port are those of `publicUrl`.
 */
export function publicAddresses({ appsDomain, publicUrl }: Config): PublicAddresses | undefined {
  if (appsDomain === undefined) return publicUrl === undefined ? undefined : { service: withoutSlash(publicUrl) };
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

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
