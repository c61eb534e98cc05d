import { type TrustsAddress, trustedAddresses } from '../../http/trusted-addresses.ts';
import type { Config } from './schema.ts';

/**
 * Returns whose `X-Forwarded-*` headers are believed. Login throttling trusts `X-Forwarded-For` from
 * `proxies` only; a program of this machine is one only when the configuration names a proxy.
 */
export function proxiesOf(config: Config): { readonly trusts: TrustsAddress; readonly proxies?: TrustsAddress } {
  const trusts = trustedAddresses(config.trustedProxies);
  const hasProxy = [config.publicUrl, config.appsDomain, config.trustedProxies].some(
    (setting) => setting !== undefined,
  );
  return hasProxy ? { trusts, proxies: trusts } : { trusts };
}
