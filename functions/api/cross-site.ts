import { DeployError } from '../core/errors.ts';
import type { HttpRequest } from './http.ts';
import { routes } from './routes.ts';

type BrowserRequest = Pick<HttpRequest, 'method' | 'resource' | 'headers' | 'base'>;

const READING_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses a request that changes something and that a browser sends from a page of another site: the browser adds the
 * login that it remembers, so the page could deploy in the user's name. Applications live on sibling domains, so
 * `same-site` is refused too. Programs send neither header. Throws `deploy:auth:bad_creds` or `mw:auth:unauthorized`.
 *
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function refuseCrossSite(request: BrowserRequest): void {
  if (READING_METHODS.includes(request.method) || !isCrossSite(request)) return;
  const deploys = routes.some(({ path, login }) => path === request.resource && login === 'deploy');
  const detail =
    'A browser sent this request from a page of another site. A login that a browser adds there is not used.';
  throw new DeployError(deploys ? 'deploy:auth:bad_creds' : 'mw:auth:unauthorized', detail);
}

function isCrossSite({ headers, base }: BrowserRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  // Browsers omit Sec-Fetch-Site where the service is reached without TLS, but send the origin of a POST.
  return hasForeignOrigin({ headers, base });
}

/** Whether a page that is not the service's own sends the request: browsers say its origin, for a WebSocket always. */
export function hasForeignOrigin({ headers, base }: Pick<BrowserRequest, 'headers' | 'base'>): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  const ownHosts = [headers.host, URL.canParse(base) ? new URL(base).host : undefined];
  return !URL.canParse(origin) || !ownHosts.includes(new URL(origin).host);
}
