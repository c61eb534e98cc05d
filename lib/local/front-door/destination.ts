import type { IncomingMessage } from 'node:http';
import { hostName, labelIn, labelsIn } from '../../http/app-domain.ts';
import { type PublicAddresses, SIGNALS_PATH } from '../config/public-addresses.ts';

/** The program that serves a request, by its Host header; `unknown` for another host. */
export type Destination = 'api' | 'applications' | 'repositories' | 'signals' | 'unknown';

const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the program that serves a request. `isDomain` knows the domains of applications. Without `APPS_DOMAIN` every host but those of applications is the API's,
 * which may be behind a tunnel of any name; with it, other hosts are `unknown`.
 */
export function destinationOf(
  host: string | undefined,
  addresses: PublicAddresses | undefined,
  isDomain: (name: string) => boolean,
): Destination {
  const name = hostName(host);
  const { apps, repositories = '', signals = '' } = addresses ?? {};
  if (addresses && name === hostOf(addresses.service)) return 'api';
  if (apps && name === hostOf(repositories)) return 'repositories';
  if (apps && name === hostOf(signals)) return 'signals';
  if (isDomain(name) || labelsIn(name, apps?.domain) !== undefined) return 'applications';
  if (labelIn(name, apps?.domain) !== undefined) return 'applications';
  return apps === undefined || THIS_MACHINE.test(name) ? 'api' : 'unknown';
}

/** Returns the host names of the service itself, for which there may be certificates. */
export function ownHosts(addresses: PublicAddresses | undefined): readonly string[] {
  const { service, repositories, signals } = addresses ?? {};
  return [service, repositories, signals].flatMap((address) => (address === undefined ? [] : [hostOf(address)]));
}

/** Whether a request to the service's own host opens the WebSocket of signals there. */
export function opensSignals({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && new RegExp(`^${SIGNALS_PATH}/?(?:\\?|$)`).test(url);
}

/** Returns the port of the WebSocket API for clients; the other one is for the service's own functions. */
export function portOfSignals({ SignalsUrl: address }: Readonly<Record<string, string>>): number {
  return address === undefined ? 0 : Number(new URL(address).port);
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
