import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerAsk, hostName, isAppHost, isAsk } from '../http/app-domain.ts';
import { forwarder } from '../http/forwarder.ts';
import { type Refusal, refuse, refuseUpgrade } from '../http/refusal.ts';
import { hostOf, ownHosts, type PublicAddresses } from './config/public-addresses.ts';

/** The programs on the API's port besides the API. */
interface HostRouterParts {
  readonly addresses: PublicAddresses | undefined;
  /** Ports of the programs; a function, because some are known later than the router. */
  readonly ports: () => {
    /** Null when applications answer elsewhere. */
    readonly platform: number | null;
    readonly repositories: number;
  };
  /** Whether a host name is that of an application that exists. */
  readonly hasApp: (host: string) => Promise<boolean>;
  /** Whether a host name is a domain of an application. */
  readonly isDomain: (host: string) => boolean;
}

const NOT_SERVED: Refusal = { status: 404, sentence: 'Nothing is served under this name.' };
const NOT_YET: Refusal = {
  status: 503,
  sentence: 'The service is starting; try again in a moment.',
  headers: { 'retry-after': '1' },
};
const NO_ANSWER: Refusal = { status: 502, sentence: 'What is behind this address did not answer.' };
const NO_LOGIN: Refusal = {
  status: 401,
  sentence: 'The repositories need a login: user name, and password or API token.',
  headers: { 'www-authenticate': 'Basic realm="repositories", charset="UTF-8"' },
};

/**
 * Returns what serves everything but the API on the API's port, by host name: applications, and with public addresses
 * the repository host.
 */
export function hostRouter({ addresses, ports, hasApp, isDomain }: HostRouterParts) {
  const forward = forwarder(NO_ANSWER, { notListening: NOT_YET });
  const toOf = (request: IncomingMessage) => destinationOf(request.headers.host, addresses, isDomain);
  const targetOf = (to: Destination) => {
    const { platform, repositories } = ports();
    const port = { applications: platform ?? 0, repositories, api: 0, unknown: 0 }[to];
    // Applications are found by the Host; the other programs accept their own only.
    return { host: '127.0.0.1', port, ownHost: to !== 'applications' };
  };
  const refusalOf = (to: Destination, { headers }: IncomingMessage) => {
    if (to === 'unknown' || (to === 'applications' && ports().platform === null)) return NOT_SERVED;
    // On this machine anyone may read public repositories; the network is not this machine.
    return to === 'repositories' && headers.authorization === undefined ? NO_LOGIN : undefined;
  };
  const isKnown = async (name: string) => ownHosts(addresses).includes(name) || (await hasApp(name));
  return {
    takes: (request: IncomingMessage) => toOf(request) !== 'api' || isAsk(request),
    takesHost: (host: string) => destinationOf(host, addresses, isDomain) !== 'api',
    serve: (request: IncomingMessage, response: ServerResponse) => {
      if (isAsk(request)) return void answerAsk(request, response, isKnown).catch(() => response.destroy());
      const to = toOf(request);
      const refusal = refusalOf(to, request);
      if (refusal) return refuse(request, response, refusal);
      forward.web(request, response, targetOf(to));
    },
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const to = toOf(request);
      const refusal = refusalOf(to, request);
      if (refusal || isAsk(request)) return refuseUpgrade(socket, refusal ?? NOT_SERVED);
      forward.upgrade(request, socket, head, targetOf(to));
    },
  };
}

/** The program that serves a request, by its Host header; `unknown` for another host. */
type Destination = 'api' | 'applications' | 'repositories' | 'unknown';

const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Without `APPS_DOMAIN` every host but those of applications is the API's, which may be behind a tunnel of any name; with it,
 * other hosts are `unknown`.
 */
function destinationOf(
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
