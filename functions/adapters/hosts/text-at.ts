import { isIP } from 'node:net';
import { addressKind } from './address.ts';
import { addressPolicy, RefusedAddress } from './address-policy.ts';
import { readText } from './body.ts';
import { isThisMachine } from './configuration.ts';
import { createHttpClient, usualTimeouts } from './http-client.ts';

/** Milliseconds until all of it has to be there: a webhook is waiting for its answer meanwhile. */
const patience = 5_000;
const maxBytes = 64 * 1024;

/**
 * A short public text (UTF-8, at most 64 KiB) at one fixed address, within five seconds. What holds for the calls of
 * repository hosts holds here: https only, but for this machine's own addresses, and no name that resolves to a private
 * one. Redirects are not followed. Throws what the network throws, `RefusedAddress`, `TooLarge`, or an Error.
 */
export async function textAt(address: string, waitMs: number = patience): Promise<string> {
  refuseInside(new URL(address));
  const httpClient = createHttpClient(addressPolicy({ api: address, web: address }), usualTimeouts);
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'deployment-webhooks' };
  const signal = AbortSignal.timeout(waitMs);
  const response = await httpClient({ method: 'GET', url: new URL(address), headers, signal });
  if (response.status === 200) return readText(response, maxBytes);
  response.discard();
  throw new Error(`it answered ${response.status}`);
}

/** A repository host may be configured inside a network; what is public has no business there. */
function refuseInside({ protocol, hostname }: URL): void {
  if (isThisMachine(hostname)) return;
  if (protocol !== 'https:') throw new RefusedAddress(`${protocol}// is not called, only https://`);
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && addressKind(literal) !== 'public') {
    throw new RefusedAddress(`${literal} is not a public address`);
  }
}
