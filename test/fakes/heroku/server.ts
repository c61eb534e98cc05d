import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Answer, FakeHerokuApi, refusal } from './api.ts';

/** Heroku on loopback, over HTTP: the API, the storage of sources, the streams of builds and logs, and the apps. */
export interface FakeHeroku {
  readonly url: string;
  readonly token: string;
  readonly api: FakeHerokuApi;
  /** The calls of the API, as `GET /apps/…`. */
  readonly calls: string[];
  /** Calls that are still allowed; default: any number. */
  limit: number;
  close(): Promise<void>;
}

const TOKEN = 'HRKU-00000000-token-of-the-tests';
const ACCEPT = 'application/vnd.heroku+json; version=3';

/** Starts the fake. It refuses what Heroku refuses: another token, another version, a `Content-Type` of an upload. */
export async function fakeHeroku(): Promise<FakeHeroku> {
  const api = new FakeHerokuApi();
  const calls: string[] = [];
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeHeroku = {
    ...{ url: api.base, token: TOKEN, api, calls, limit: Number.POSITIVE_INFINITY },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', api.base);
    const [, first, second = ''] = pathname.split('/');
    if (first === 'uploads') return store(pathname, request, response);
    if (first === 'streams') return stream(second, response);
    if (first === 'logs') return log(second, response);
    if (first === 'web') return web(second, response);
    calls.push(`${request.method} ${pathname}`);
    const { status, body } = await answer(request, pathname);
    response.writeHead(status, { 'content-type': 'application/json', 'ratelimit-remaining': String(fake.limit) });
    response.end(JSON.stringify(body));
  }

  async function answer(request: IncomingMessage, pathname: string): Promise<Answer> {
    const text = (await buffer(request)).toString();
    const { authorization, accept } = request.headers;
    if (authorization !== `Bearer ${TOKEN}`) return refusal(401, 'unauthorized', 'Invalid credentials provided.');
    if (accept !== ACCEPT) return refusal(406, 'not_acceptable', 'Set the Accept header to version 3.');
    if (fake.limit <= 0) return refusal(429, 'rate_limit', 'Your account reached the API rate limit');
    fake.limit -= 1;
    const path = pathname.split('/').slice(1).map(decodeURIComponent);
    return api.answer({ method: request.method ?? '', path, json: text === '' ? {} : JSON.parse(text) });
  }

  /** The storage compares the headers with those that were signed. */
  async function store(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'content-type': type = '', 'content-length': length } = request.headers;
    const bytes = await buffer(request);
    const isSigned = request.url?.endsWith('?Signature=put-secret') === true && type === '';
    if (!isSigned || !api.uploads.has(pathname)) return void response.writeHead(403).end('SignatureDoesNotMatch');
    if (length === undefined) return void response.writeHead(411).end('MissingContentLength');
    api.uploads.set(pathname, bytes);
    response.writeHead(200).end();
  }

  function stream(id: string, response: ServerResponse): void {
    const build = [...api.apps.values()].flatMap(({ builds }) => builds).find((one) => one.id === id);
    if (!build) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/plain' }).write(build.output.map((line) => `${line}\n`).join(''));
    // A stream of a build that runs stays open; the test ends it by a look at the build.
    const sent = build.output.length;
    const timer = setInterval(() => {
      if (build.status === 'pending') return void response.write('\0');
      clearInterval(timer);
      response.end(
        build.output
          .slice(sent)
          .map((line) => `${line}\n`)
          .join(''),
      );
    }, 5);
    response.on('close', () => clearInterval(timer));
  }

  function log(id: string, response: ServerResponse): void {
    const session = api.sessions.get(id);
    if (!session) return void response.writeHead(404).end();
    const { app, lines, tail } = session;
    response.writeHead(200).write(
      app.log
        .slice(-lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    if (!tail) return void response.end();
    const write = (line: string) => void response.write(line);
    app.readers.add(write);
    response.on('close', () => app.readers.delete(write));
  }

  function web(name: string, response: ServerResponse): void {
    const app = api.apps.get(name);
    const runs = app?.program?.behaviour === 'runs' && (app.formation.get('web') ?? 0) > 0;
    response.writeHead(runs ? 200 : 503).end(runs ? app.program?.version : 'Application error');
  }
}
