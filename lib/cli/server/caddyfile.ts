import type { Installation } from './installation.ts';

export const CADDY_FILE = '/etc/caddy/Caddyfile';

const LATER = '# Print this again after the first start: requests to applications then pass the service by.\n';

/** Domains for which no public authority gives certificates: https://www.rfc-editor.org/rfc/rfc6761 and .internal. */
const NOT_PUBLIC = /\.(?:localhost|test|invalid|example|internal|local|home\.arpa)$/;

/**
 * Returns the configuration with which Caddy serves all names of the service, and gets a certificate for each at its
 * first request, after it has asked the service whether there is such an application.
 *
 * @see https://caddyserver.com/docs/automatic-https#on-demand-tls
 */
export function caddyfile(installation: Installation): string {
  const { port, addresses } = installation;
  const { service, apps } = addresses;
  const { protocol, port: publicPort } = new URL(service);
  const isOwnAuthority = NOT_PUBLIC.test(`.${apps?.domain ?? ''}`);
  if (protocol === 'http:') return site(`http://${publicPort && `:${publicPort}`}`, [], installation);
  const options = [
    'on_demand_tls {',
    `\task http://127.0.0.1:${port}/ask`,
    '}',
    // The port of HTTP belongs to those who have that of HTTPS.
    ...(publicPort ? ['auto_https disable_redirects'] : []),
    ...(isOwnAuthority ? ['skip_install_trust'] : []),
  ];
  const tls = ['tls {', '\ton_demand', ...(isOwnAuthority ? ['\tissuer internal'] : []), '}'];
  return `${block('', options)}\n${site(`https://${publicPort && `:${publicPort}`}`, tls, installation)}`;
}

function site(address: string, tls: readonly string[], { port, platformPort, addresses }: Installation): string {
  const all = proxy([port]);
  if (platformPort === undefined || !addresses.apps) return `${block(address, [...tls, ...all])}${LATER}`;
  return block(address, [
    ...tls,
    `@applications host *.*.${addresses.apps.domain}`,
    // Past the service, which they would wait for when it is busy; through it when the platform has got another port.
    ...handle(' @applications', proxy([platformPort, port], ['lb_policy first', 'lb_retries 1', 'fail_duration 5s'])),
    ...handle('', all),
  ]);
}

function handle(what: string, lines: readonly string[]): readonly string[] {
  return [`handle${what} {`, ...lines.map((line) => `\t${line}`), '}'];
}

function proxy(ports: readonly number[], more: readonly string[] = []): readonly string[] {
  // At once, for changes and logs that are followed. Caddy sets X-Forwarded-For itself, and lets X-Real-IP through.
  const options = ['flush_interval -1', 'header_up X-Real-IP {remote_host}', ...more].map((option) => `\t${option}`);
  return [`reverse_proxy ${ports.map((port) => `127.0.0.1:${port}`).join(' ')} {`, ...options, '}'];
}

function block(head: string, lines: readonly string[]): string {
  return `${head && `${head} `}{\n${lines.map((line) => `\t${line}\n`).join('')}}\n`;
}
