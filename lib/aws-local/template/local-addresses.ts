import { isRecord } from './intrinsics.ts';

const API_ADDRESS = /(https|wss):\/\/([A-Za-z0-9]+)\.execute-api\.[a-z0-9-]+\.amazonaws\.com(?:\/[\w-]+)?/g;

/**
 * A resolved value in which the public addresses of the stack's own APIs lead to this machine. On such an address the
 * first path segment is always the stage, which is no part of the path here.
 *
 * @param hosts `host:port` by logical id of the API; the address of an API that is not listed stays as it is
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
