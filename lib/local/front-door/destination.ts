import { hostName, isAppHost } from '../../http/app-domain.ts';
import { hostOf, type PublicAddresses } from '../config/public-addresses.ts';

/** The program that serves a request, by its Host header; `unknown` for another host. */
export type Destination = 'api' | 'applications' | 'repositories' | 'unknown';

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
  // The API serves the WebSocket of signals itself.
  if (apps && name === hostOf(signals)) return 'api';
  if (isDomain(name) || isAppHost(name, apps?.domain)) return 'applications';
  return apps === undefined || THIS_MACHINE.test(name) ? 'api' : 'unknown';
}
