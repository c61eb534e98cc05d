import { DeployError } from './errors.ts';

/**
 * Refuses a request that a page of another site has made a browser send, with the login that the browser remembers for
 * this service. Browsers say so in `Sec-Fetch-Site`, which pages cannot set; programs do not send it
 * (https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-site-header). Throws `mw:auth:unauthorized`.
 */
export function refuseCrossSite(headers: Readonly<Record<string, string | undefined>>): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  const detail =
    'A page of another site has made this request. Make it from a program, or from a page of this service.';
  throw new DeployError('mw:auth:unauthorized', detail);
}
