import type { Installation } from './installation.ts';

/** The path of the file. */
export const CADDY_FILE = '/etc/caddy/Caddyfile';

/** Domains for which no public authority gives certificates: https://www.rfc-editor.org/rfc/rfc6761 and .internal. */
const NOT_PUBLIC = /\.(?:localhost|test|invalid|example|internal|local|home\.arpa)$/;

/**
 * Returns the configuration with which Caddy serves all names of the service, and gets a certificate for each at its
 * first request, after it has asked the service whether there is such an application.
 *
 * @see https://caddyserver.com/docs/automatic-https#on-demand-tls
 */
export function caddyfile({ port, addresses }: Installation): string {
  const { service, apps } = addresses;
  const { protocol, port: publicPort } = new URL(service);
  const isOwnAuthority = NOT_PUBLIC.test(`.${apps?.domain ?? ''}`);
  if (protocol === 'http:') return `${site(`http://${publicPort && `:${publicPort}`}`, [], port)}`;
  const options = [
    'on_demand_tls {',
    `\task http://127.0.0.1:${port}/ask`,
    '}',
    // The port of HTTP belongs to those who have that of HTTPS.
    ...(publicPort ? ['auto_https disable_redirects'] : []),
    ...(isOwnAuthority ? ['skip_install_trust'] : []),
  ];
  const tls = ['tls {', '\ton_demand', ...(isOwnAuthority ? ['\tissuer internal'] : []), '}'];
  return `${block('', options)}\n${site(`https://${publicPort && `:${publicPort}`}`, tls, port)}`;
}

function site(address: string, tls: readonly string[], port: number): string {
  // At once, for changes and logs that are followed. Caddy sets X-Forwarded-For itself, and lets X-Real-IP through.
  const options = ['\tflush_interval -1', '\theader_up X-Real-IP {remote_host}'];
  const proxy = [`reverse_proxy 127.0.0.1:${port} {`, ...options, '}'];
  return block(address, [...tls, ...proxy]);
}

function block(head: string, lines: readonly string[]): string {
  return `${head && `${head} `}{\n${lines.map((line) => `\t${line}\n`).join('')}}\n`;
}
