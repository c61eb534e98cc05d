import { type ApiRequest, type Client, client, Problem } from '../../../lib/client/client.ts';
import type { Session } from './session.ts';

/** The API, with the login of one user. */
export interface Api extends Client {
  call<T>(request: ApiRequest): Promise<T>;
}

/** The service's address without a slash at its end: the page's files are in `<service>/assets/`. */
export const SERVICE = new URL('..', import.meta.url).href.replace(/\/+$/, '');

const HERE = ['127.0.0.1', '[::1]', 'localhost'];

/** Whether the page was opened at an address that other machines do not have. */
export const ONLY_HERE = HERE.includes(new URL(SERVICE).hostname);

/** The address of the service's own repository host; null when it has none that the reader can reach. */
export const REPOSITORIES = repositories();

function repositories(): string | null {
  const url = document.querySelector<HTMLMetaElement>('meta[name=repositories]')?.content;
  return url && (ONLY_HERE || !HERE.includes(new URL(url).hostname)) ? url : null;
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
  return 'The service does not answer. Check the connection and try again.';
}
