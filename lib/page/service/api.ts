import { type ApiRequest, type Client, client, isLoopback, Problem } from '../../client/client.ts';
import { Unreadable } from '../../client/lines.ts';
import type { Session } from './session.ts';

export interface Api extends Client {
  call<T>(request: ApiRequest): Promise<T>;
}

/** The service's address without a slash at its end: the page's files are in `<service>/assets/`. */
export const SERVICE = new URL('..', import.meta.url).href.replace(/(?<!\/)\/+$/, '');

/** Whether the page was opened at an address that other machines do not have. */
export const ONLY_HERE = isLoopback(SERVICE);

/** The address of the service's own repository host; null when it has none that the reader can reach. */
export const REPOSITORIES = repositories();

function repositories(): string | null {
  const url = addressIn('repositories');
  return url && (ONLY_HERE || !isLoopback(url)) ? url : null;
}

/** Returns an address that the document has for the page; null without one. */
export function addressIn(name: 'repositories' | 'signals'): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content || null;
}

/** Returns the API for a login. `refused` is called when the login is not valid, or no longer. */
export function api(session: Session, refused: () => void): Api {
  const { user, call, lines } = client({ url: SERVICE, user: session.user, secret: session.secret });
  const failed = (error: unknown): never => {
    if (error instanceof Problem && error.isLogin) refused();
    throw error;
  };
  return {
    user,
    call: <T>(request: ApiRequest) => call(request).catch(failed) as Promise<T>,
    lines: async function* (request) {
      try {
        yield* lines(request);
      } catch (error) {
        failed(error);
      }
    },
  };
}

/** Returns an error as a sentence for its reader. */
export function inWords(error: unknown): string {
  if (error instanceof Problem) return error.detail || `The service answered ${error.status}. Try again in a moment.`;
  if (error instanceof Unreadable) return `${error.message} Reload the page.`;
  return 'The service does not answer. Check the connection and try again.';
}
