import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Answer, type Download, FakeScalingoApi, refusal } from './api.ts';

/** Scalingo on loopback, over HTTP: the API, that for tokens, the logs and the apps. */
export interface FakeScalingo {
  readonly url: string;
  readonly token: string;
  readonly api: FakeScalingoApi;
  /** The calls of the API, as `GET /v1/apps/…`. */
  readonly calls: string[];
  /** The bearers that are valid; an hour later none of them is. */
  readonly bearers: Set<string>;
  /** Calls that are still allowed; default: any number. */
  limit: number;
  close(): Promise<void>;
}

const TOKEN = 'tk-us-token-of-the-tests';

/** Starts the fake; `download` reads what is at the address of an archive. */
export async function fakeScalingo(download: Download): Promise<FakeScalingo> {
  const api = new FakeScalingoApi(download);
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeScalingo = {
    ...{ url: api.base, token: TOKEN, api, calls: [], bearers: new Set(), limit: Number.POSITIVE_INFINITY },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', api.base);
    const [, first, second = ''] = pathname.split('/');
    if (first === 'logs') return log(second, searchParams, response);
    if (first === 'web') return web(second, response);
    fake.calls.push(`${request.method} ${pathname}`);
    const { status, body, text, location } = await answer(request, { pathname, searchParams });
    const type = text === undefined ? 'application/json' : 'text/plain';
    response.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) });
    response.end(text ?? (body === undefined ? '' : JSON.stringify(body)));
  }

  async function answer(
    request: IncomingMessage,
    { pathname, searchParams }: { readonly pathname: string; readonly searchParams: URLSearchParams },
  ): Promise<Answer> {
    const text = (await buffer(request)).toString();
    const { authorization = '', 'content-type': type, accept } = request.headers;
    if (pathname === '/v1/tokens/exchange') return exchange(authorization);
    if (!fake.bearers.has(authorization.replace(/^Bearer /, ''))) return refusal(401, 'unauthorized');
    if (fake.limit <= 0) return refusal(429, 'too many requests');
    fake.limit -= 1;
    if (text !== '' && type !== 'application/json') return refusal(400, 'the body must be JSON');
    const wanted = pathname.endsWith('/output') ? 'text/plain' : 'application/json';
    if (accept !== wanted) return refusal(406, `the API answers ${wanted}`);
    const [, version, ...path] = pathname.split('/').map(decodeURIComponent);
    if (version !== 'v1') return refusal(404, 'not found');
    const json = text === '' ? {} : JSON.parse(text);
    return api.answer({ method: request.method ?? '', path, query: searchParams, json });
  }

  function exchange(authorization: string): Answer {
    if (authorization !== `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`) return refusal(401, 'unauthorized');
    const bearer = randomUUID();
    fake.bearers.add(bearer);
    return { status: 200, body: { token: bearer } };
  }

  function log(id: string, query: URLSearchParams, response: ServerResponse): void {
    const app = [...api.apps.values()].find((one) => one.id === id);
    if (!app || query.get('token') !== 'secret') return void response.writeHead(404).end();
    const number = Number(query.get('n') ?? 100);
    const last = number > 0 ? app.log.slice(-number) : [];
    if (query.get('stream') !== 'true') {
      return void response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(last.map((line) => `${line}\n`).join(''));
    }
    const write = (line: string) =>
      void response.write(`data: ${JSON.stringify({ name: 'log', log: `${line}\n` })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ name: 'ping', timestamp: new Date().toISOString() })}\n\n`);
    for (const line of last) write(line);
    app.readers.add(write);
    response.on('close', () => app.readers.delete(write));
  }

  function web(name: string, response: ServerResponse): void {
    const app = api.apps.get(name);
    const runs = app?.program?.behaviour === 'runs' && (app.formation.get('web') ?? 0) > 0;
    response.writeHead(runs ? 200 : 503).end(runs ? app.program?.version : 'Application error');
  }
}
