import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { DeployError } from '../../../functions/core/errors.ts';
import { isAppHost } from '../../../lib/http/app-domain.ts';
import { HttpError } from '../../../lib/http/http-error.ts';
import type { Platform } from '../../../lib/platform/platform.ts';
import type { Snapshots } from '../../../lib/platform/store/snapshots.ts';
import { doorServer, type FrontDoor } from '../../../lib/runner/door/front-door.ts';
import { callOf } from './calls.ts';

/** A platform that tests call over HTTP, also when it is in a process of its own. */
export interface Served {
  /** Where its ports are called as `calls.ts` says and, by the Host header, its applications. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ServedParts {
  readonly platform: Platform;
  readonly door: Pick<FrontDoor, 'serve' | 'upgrade'>;
  readonly domain?: string | undefined;
  readonly snapshots: Snapshots;
}

export async function serve(parts: ServedParts): Promise<Served> {
  const { platform, door, domain } = parts;
  const server = doorServer({
    serve: (request, response) => {
      const { host = '' } = request.headers;
      if (isAppHost(host, domain) || platform.hasDomain(host)) return door.serve(request, response);
      answer(parts, request, response).catch((error: unknown) => fail(response, error));
    },
    upgrade: door.upgrade,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(parts: ServedParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
  const result = await callOf(parts, { ...call, body: await buffer(request), signal: gone.signal });
  if ('lines' in result) {
    response.writeHead(200, { 'content-type': result.type }).flushHeaders();
    for await (const text of result.lines) response.write(text);
    return void response.end();
  }
  send(response, result.status, result.body);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const isKnown = error instanceof DeployError || error instanceof HttpError;
  const cause = error instanceof DeployError ? error.cause : error;
  const sentence = cause instanceof HttpError ? cause.message : isKnown ? error.message : String(error);
  const status = cause instanceof HttpError ? cause.status : error instanceof DeployError ? error.status : 500;
  const log = cause instanceof HttpError && cause.log ? { log: cause.log } : {};
  send(response, status, { error: sentence, ...log });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (status === 204) return void response.writeHead(status).end();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
