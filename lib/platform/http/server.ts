import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBasic } from '../../../functions/core/basic-auth.ts';
import { sameSecret } from '../../../functions/core/secrets.ts';
import { answerAsk, isAsk } from '../../http/app-domain.ts';
import { HEADER_BYTES } from '../../http/forwarder.ts';
import { HttpError, messageOf } from '../../http/http-error.ts';
import { hasOneHost, NOT_ONE_HOST, refuse } from '../../http/refusal.ts';
import { onWebSocket } from '../../http/websocket.ts';
import type { FrontDoor } from '../../runner/door/front-door.ts';
import type { Log } from '../settings.ts';
import { checkedUser } from '../store/names.ts';
import type { ServedUsers } from '../store/served-users.ts';
import { jsonBody } from './json-body.ts';
import { matchRoute, type Reply, type Routes } from './route.ts';

interface ServerDependencies {
  readonly routes: Routes;
  /** The most bytes of a JSON body. */
  readonly bodyBytes: number;
  readonly users: Pick<ServedUsers, 'has'>;
  /** The secret of the deploy service, which acts for all users. */
  readonly serviceToken: string;
  /** Serves requests for applications. */
  readonly door: Pick<FrontDoor, 'serve' | 'upgrade'>;
  /** Whether a host name may be that of an application; the API is asked under others. */
  readonly mayBeApp: (host: string | undefined) => boolean;
  readonly hasHost: (host: string) => Promise<boolean>;
  readonly log: Log;
  /** With it, a proxy of this machine may ask which names may have a certificate. */
  readonly ownHost: string | undefined;
}

/**
 * The platform's HTTP server: the API, and by Host header (`<app>.<user>.<domain>`) the applications. Errors are
 * `{ "error": "<sentence>" }`, with `log` when an installation or an application has printed why.
 */
export function platformServer(deps: ServerDependencies): Server {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (!hasOneHost(request)) return refuse(request, response, NOT_ONE_HOST);
    if (deps.ownHost !== undefined && isAsk(request))
      return answerAsk(request, response, (name) => isKnown(deps, name));
    if (deps.mayBeApp(request.headers.host)) return deps.door.serve(request, response);
    await answer(deps, request, response);
  };
  const server = createServer({ maxHeaderSize: HEADER_BYTES }, (request, response) => {
    serve(request, response).catch((error: unknown) => fail(deps.log, response, error));
  });
  onWebSocket(server, (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    deps.door.upgrade(request, socket, head);
  });
  // No time limit for a whole request: a start takes until the application answers, and a tarball may be large.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 75_000;
  return server;
}

async function isKnown({ ownHost, hasHost }: ServerDependencies, name: string): Promise<boolean> {
  return name === ownHost || (await hasHost(name));
}

async function answer(deps: ServerDependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(`http://platform${request.url?.startsWith('/') ? request.url : '/'}`);
  const match = matchRoute(deps.routes, request.method ?? 'GET', url.pathname);
  if ('allow' in match) {
    if (match.allow.length > 0) response.setHeader('allow', match.allow.join(', '));
    return send(response, noRoute(match.allow, request.method));
  }
  const { path, run, param } = match;
  if (!sameSecret(readBasic(request.headers.authorization)?.secret ?? '', deps.serviceToken)) {
    throw new HttpError(401, 'The request does not carry the token of the service.');
  }
  if (path.includes('/:user')) {
    const user = checkedUser(param('user'));
    if (!(await deps.users.has(user))) throw new HttpError(404, `There is no user ${user}.`);
  }
  const json = () => jsonBody(request, deps.bodyBytes);
  send(response, await run({ request, response, query: url.searchParams, param, json }));
}

function noRoute(allow: readonly string[], method: string | undefined): Reply {
  if (allow.length === 0) return { status: 404, body: { error: 'There is nothing at this address.' } };
  return { status: 405, body: { error: `This address does not know the method ${method}.` } };
}

function fail(log: Log, response: ServerResponse, error: unknown): void {
  const known = error instanceof HttpError ? error : undefined;
  if (!known) log({ type: 'platform.error', detail: messageOf(error) });
  if (response.headersSent) return void response.destroy();
  const status = known?.status ?? 500;
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="platform", charset="UTF-8"');
  // The message is shown for unexpected errors too: for a damaged state file it says what to do.
  const sentence = messageOf(error);
  send(response, { status, body: known?.log ? { error: sentence, log: known.log } : { error: sentence } });
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'streamed') return;
  if (reply.body === undefined) {
    response.writeHead(reply.status).end();
    return;
  }
  const text = `${JSON.stringify(reply.body)}\n`;
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}
