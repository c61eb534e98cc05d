import { isRecord } from './intrinsics.ts';

const API_ADDRESS = /(https|wss):\/\/([A-Za-z0-9]+)\.execute-api\.[a-z0-9-]+\.amazonaws\.com(?:\/[\w-]+)?/g;

/**
 * Returns a resolved value in which the public addresses of the stack's own APIs are replaced by local ones. The first
 * path segment of such an address is always the stage, which local paths do not have.
 *
 * @param hosts `host:port` by logical id of the API; the address of an API that is not listed is kept
 */
export function localAddresses(value: unknown, hosts: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replace(API_ADDRESS, (address, scheme: string, api: string) => {
      const host = hosts[api];
      return host === undefined ? address : `${scheme === 'wss' ? 'ws' : 'http'}://${host}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => localAddresses(item, hosts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, localAddresses(item, hosts)]));
}
