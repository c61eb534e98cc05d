import type { IncomingMessage, ServerResponse } from 'node:http';

/** The domain of applications on a laptop; browsers resolve all names in it to this machine. */
export const LAPTOP_DOMAIN = 'localhost';

/** The addresses of applications for other machines: `<protocol>//<app>.<user>.<domain><:port>`. */
export interface PublicDomain {
  readonly domain: string;
  readonly protocol: 'http:' | 'https:';
  /** Empty for the protocol's own. */
  readonly port: string;
}

/**
 * Returns the labels of the application and its user in a Host header, `<app>.<user>`, when it has the form of an
 * application's below `localhost` or the domain; undefined for any other host.
 */
export function labelsIn(host: string | undefined, domain: string | undefined): string | undefined {
  const name = hostName(host);
  for (const end of [LAPTOP_DOMAIN, ...(domain === undefined ? [] : [domain])]) {
    const labels = name.endsWith(`.${end}`) ? name.slice(0, -end.length - 1) : '';
    if (/^[a-z\d-]+\.[a-z\d-]+$/.test(labels)) return labels;
  }
  return undefined;
}

/**
 * Returns the label of an application in a Host header that names no user, `<app>.<domain>`; undefined for any other
 * host. It is the application's where there is one user.
 */
export function labelIn(host: string | undefined, domain: string | undefined): string | undefined {
  const label = hostName(host).split('.', 1)[0] ?? '';
  return domain !== undefined && hostName(host) === `${label}.${domain}` && /^[a-z\d-]+$/.test(label)
    ? label
    : undefined;
}

/** Whether a name is a domain or below it. */
export function isBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** Returns the name in a Host header: without its port and a dot at the end, in lower case. */
export function hostName(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

const LOOPBACK_PEER = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;

/**
 * Whether a request asks which names may have a certificate, `GET /ask?domain=<name>`. Only programs of this machine
 * can ask: what came through a proxy was asked by somebody else.
 *
 * @see https://caddyserver.com/docs/caddyfile/options#on-demand-tls
 */
export function isAsk({ method, url = '', headers, socket }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    /^\/ask\/?(?:\?|$)/.test(url) &&
    LOOPBACK_PEER.test(socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(hostName(headers.host)) &&
    headers['x-forwarded-for'] === undefined
  );
}

/**
 * Answers 200 when the name is known, else 404, so that no certificates are fetched for names that strangers make up.
 */
export async function answerAsk(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  isKnown: (name: string) => Promise<boolean>,
): Promise<void> {
  const domain = new URLSearchParams(url.split('?')[1]).get('domain');
  const status = domain === null ? 400 : (await isKnown(hostName(domain))) ? 200 : 404;
  const sentences = { 200: 'yes', 400: 'ask for ?domain=<name>', 404: 'no application has this name' };
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentences[status]}\n`);
}
