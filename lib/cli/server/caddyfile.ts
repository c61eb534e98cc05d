import { PROOF_HEADER } from '../../http/trusted-addresses.ts';
import { ownHosts } from '../../local/config/public-addresses.ts';
import type { Installation } from './installation.ts';

export const CADDY_FILE = '/etc/caddy/Caddyfile';

const LATER = '# Print this again after the first start: requests to applications then pass the service by.\n';

/** Domains for which no public authority gives certificates: https://www.rfc-editor.org/rfc/rfc6761 and .internal. */
const NOT_PUBLIC = /\.(?:localhost|test|invalid|example|internal|local|home\.arpa)$/;

/**
 * Returns the configuration with which Caddy serves all names of the service, and gets a certificate for each at its
 * first request, after it has asked the service whether there is such an application. With a
 * certificate that it already has, it needs no service.
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

/**
 * Each program is the only upstream of its names, and is never taken out: Caddy counts a body that its client breaks off as a
 * failure of the upstream, and `fail_duration` would refuse everybody's requests for it. `flush_interval -1` would keep the
 * requests of clients that have left; answers without a length are passed on at once anyway.
 *
 * @see https://caddyserver.com/docs/caddyfile/directives/reverse_proxy
 */
function site(address: string, tls: readonly string[], installation: Installation): string {
  const { port, platformPort, addresses } = installation;
  // Applications can reach the port of the service too: what they say of a client is not believed.
  const proven = ['{', `\t\theader_up ${PROOF_HEADER} ${installation.proxySecret()}`, '\t}'].join('\n');
  const all = [
    ...tls,
    // What a client says about its own client. Caddy sets X-Forwarded-For, -Host and -Proto itself.
    'request_header -Forwarded',
    'request_header -X-Forwarded-*',
    'request_header X-Real-IP {remote_host}',
  ];
  if (platformPort === undefined)
    return `${block(address, [...all, `reverse_proxy 127.0.0.1:${port} ${proven}`])}${LATER}`;
  return block(address, [
    ...all,
    `@service host ${ownHosts(addresses).join(' ')}`,
    `reverse_proxy @service 127.0.0.1:${port} ${proven}`,
    // Applications, also at domains of their own: they answer while the service does not.
    `reverse_proxy 127.0.0.1:${platformPort}`,
  ]);
}

function block(head: string, lines: readonly string[]): string {
  return `${head && `${head} `}{\n${lines.map((line) => `\t${line}\n`).join('')}}\n`;
}
