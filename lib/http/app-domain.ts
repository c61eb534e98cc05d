/** The domain of applications on a laptop; browsers resolve all names in it to this machine by themselves. */
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

/** Returns the name in a Host header: without its port and a dot at the end, in lower case. */
export function hostName(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}
