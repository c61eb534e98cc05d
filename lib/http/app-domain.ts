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
 * Whether a host has the form of an application's name: `<app>.<user>` below `localhost` or the domain, or `<app>.<domain>`,
 * which is for when there is one user.
 */
export function isAppHost(host: string | undefined, domain: string | undefined): boolean {
  const name = hostName(host);
  const isLabels = (end: string, form: RegExp) => name.endsWith(`.${end}`) && form.test(name.slice(0, -end.length - 1));
  if (isLabels(LAPTOP_DOMAIN, TWO_LABELS)) return true;
  return domain !== undefined && (isLabels(domain, TWO_LABELS) || isLabels(domain, ONE_LABEL));
}

const ONE_LABEL = /^[a-z\d-]+$/;
const TWO_LABELS = /^[a-z\d-]+\.[a-z\d-]+$/;

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
