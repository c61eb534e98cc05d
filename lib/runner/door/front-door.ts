import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostName } from '../../http/app-domain.ts';
import { type Refusal, refuse, refuseUpgrade } from '../../http/refusal.ts';
import type { Door } from '../../http/servers.ts';
import type { Runner } from '../runner.ts';
import { Waiting } from './waiting.ts';

/** Serves requests for applications by their Host header. */
export interface FrontDoor extends Door {
  /** Returns the runner of the application to which a host name leads. */
  find(host: string | undefined): Runner | undefined;
}

const UNKNOWN_APP = { status: 404, sentence: 'There is no application at this address.' };

interface LedDoor extends FrontDoor {
  /** Tells it which applications there are. */
  readonly lead: (all: readonly Runner[]) => void;
  /** Tells it that these are all: requests have waited for that. */
  readonly begin: () => void;
}

export function frontDoor(limits: ConstructorParameters<typeof Waiting>[0]): LedDoor {
  let names: ReadonlyMap<string, Named> = new Map();
  let hasBegun = false;
  const waiting = new Waiting(limits);
  const visit = (stream: ServerResponse | Duplex, serve: () => void) => {
    if (hasBegun) serve();
    else waiting.add(stream, serve);
  };
  const find = (host: string | undefined) => {
    const named = names.get(hostName(host));
    // Nothing is at its address until it is started for the first time.
    return named?.app.spec.now.release === null && named.app.state() === 'stopped' ? undefined : named;
  };
  /** Returns what serves a request, or the answer to it. */
  const leadTo = (request: IncomingMessage): { readonly app: Runner } | { readonly answer: Refusal } => {
    const named = find(request.headers.host);
    if (!named) return { answer: UNKNOWN_APP };
    const answer = named.redirect === undefined ? undefined : redirected(request, named.redirect);
    return answer ? { answer } : named;
  };
  return {
    find: (host) => find(host)?.app,
    lead: (all) => {
      names = namesOf(all);
    },
    begin: () => {
      hasBegun = true;
      waiting.end();
    },
    serve: (request, response) => {
      visit(response, () => {
        const to = leadTo(request);
        if ('app' in to) to.app.proxy.serve(request, response);
        else refuse(request, response, to.answer);
      });
    },
    upgrade: (request, socket, head) => {
      // Its client may leave while it waits.
      socket.on('error', () => socket.destroy());
      visit(socket, () => {
        const to = leadTo(request);
        if ('app' in to) to.app.proxy.upgrade(request, socket, head);
        else refuseUpgrade(socket, to.answer);
      });
    },
  };
}

/** An application at one of its host names, and the domain to which that redirects. */
interface Named {
  readonly app: Runner;
  readonly redirect: string | undefined;
}

function namesOf(all: readonly Runner[]): ReadonlyMap<string, Named> {
  const entries = all.flatMap((app) => {
    const { hosts, domains, redirects } = app.spec.now;
    return [...hosts, ...domains].map((name) => [name, { app, redirect: redirects[name] }] as const);
  });
  return new Map(entries);
}

/** Where an authority looks for its proof that the name is ours: https://www.rfc-editor.org/rfc/rfc8555#section-8.3 */
const CHALLENGE = '/.well-known/acme-challenge/';

/** Returns the answer that sends a visitor to the same place at another domain; undefined for what is served at each name. */
function redirected({ headers, url = '' }: IncomingMessage, domain: string): Refusal | undefined {
  // Proxies may name the host in it: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  if (path.startsWith(CHALLENGE)) return undefined;
  // The first one is that of the visitor, where several proxies have named theirs.
  const protocol = /^https\b/i.test(String(headers['x-forwarded-proto'])) ? 'https' : 'http';
  const [port = ''] = /:\d+$/.exec(headers.host ?? '') ?? [];
  // Before 20.12 Node reads bytes that it refuses to send.
  const sent = path.replace(/[^!-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
  const location = `${protocol}://${domain}${port}${path.startsWith('/') ? '' : '/'}${sent}`;
  return { status: 308, sentence: `This is at ${domain}.`, headers: { location } };
}
