import { isIP } from 'node:net';
import { isThisMachine } from '../configuration.ts';
import { addressKind } from './address.ts';
import { addressPolicy, RefusedAddress } from './address-policy.ts';
import { readText } from './body.ts';
import { createHttpClient, usualTimeouts } from './http-client.ts';

/** For the whole response. It is short because a webhook waits for it. */
const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/**
 * Returns the response body of a fixed public URL (UTF-8, at most 64 KiB), within five seconds. As for repository
 * hosts, the URL must be https, except on this machine, and must not resolve to a private address. Redirects are not
 * followed. Throws a network error, `RefusedAddress`, `TooLarge`, or an Error for a status other than 200.
 */
export async function textAt(address: string, timeoutMs: number = DEFAULT_TIMEOUT_MS): Promise<string> {
  refusePrivate(new URL(address));
  const httpClient = createHttpClient(addressPolicy({ api: address, web: address }), usualTimeouts);
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'deployment-webhooks' };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await httpClient({ method: 'GET', url: new URL(address), headers, signal });
  if (response.status === 200) return readText(response, MAX_BYTES);
  response.discard();
  throw new Error(`it answered ${response.status}`);
}

/** Unlike a repository host, a public URL is never in a private network. */
function refusePrivate({ protocol, hostname }: URL): void {
  if (isThisMachine(hostname)) return;
  if (protocol !== 'https:') throw new RefusedAddress(`${protocol}// is not called, only https://`);
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && addressKind(literal) !== 'public') {
    throw new RefusedAddress(`${literal} is not a public address`);
  }
}
