import { type TrustsAddress, trustedAddresses } from '../../http/trusted-addresses.ts';
import type { Config } from './schema.ts';

/**
 * Returns whose `X-Forwarded-*` headers are believed. What `proxies` say of their client's address is what counts for
 * wrong passwords, so a program of this machine is one only when the configuration says that there is a proxy.
 */
export function proxiesOf(config: Config): { readonly trusts: TrustsAddress; readonly proxies?: TrustsAddress } {
  const trusts = trustedAddresses(config.trustedProxies);
  const hasProxy = [config.publicUrl, config.appsDomain, config.trustedProxies].some(
    (setting) => setting !== undefined,
  );
  return hasProxy ? { trusts, proxies: trusts } : { trusts };
}

/** Whether the service, which calls the platform from this machine, has clients from elsewhere. */
export function hasOthers(config: Config): boolean {
  return config.listen !== undefined || proxiesOf(config).proxies !== undefined;
}
