import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { HttpError, messageOf, sentenceOf } from '../../http/http-error.ts';
import type { ListenAnswer, ServicePort } from '../door/service-ports.ts';
import type { Runners } from '../runners.ts';
import type { Attendance } from './attendance.ts';
import { ANSWERED, type Hello, RUNNER_ID, STREAMED } from './protocol.ts';
import type { Launch } from './spawn.ts';

interface ServerParts {
  readonly runners: Runners;
  /** Listens on these ports for the service. */
  readonly listen: (wanted: readonly ServicePort[]) => Promise<ListenAnswer>;
  readonly hello: () => Hello;
  readonly attendance: Attendance;
  /** Starts the runner that replaces this one, and returns its process id. */
  readonly replace: (launch: Launch) => number;
  /** Called when everything has been ended on request. */
  readonly ended: () => void;
}

/** Serves the runner's calls: `POST /<call>` with its arguments as a JSON array; `POST /attend` is open as long as a service. */
export function callServer(parts: ServerParts): Server {
  const server = createServer((request, response) => {
    serve(parts, request, response).catch((error: unknown) => fail(response, error));
  });
  server.requestTimeout = 0;
  return server;
}

/** A call by its name: a service of the same version has written its arguments. */
type Call<Result> = (...args: readonly unknown[]) => Promise<Result>;

async function serve(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = request.url?.slice(1) ?? '';
  if (name === 'hello') return send(response, parts.hello());
  if (name.startsWith('attend/')) {
    response.writeHead(200, { [RUNNER_ID]: process.pid }).flushHeaders();
    return parts.attendance.attend(request, name.slice('attend/'.length));
  }
  if (name === 'replace') return send(response, parts.replace((await json(request)) as Launch));
  if (name === 'listen') return send(response, await parts.listen((await json(request)) as ServicePort[]));
  const args = (await json(request)) as readonly unknown[];
  const left = new AbortController();
  response.once('close', () => left.abort());
  const { runners } = parts;
  const answered = ANSWERED.find((one) => one === name);
  if (answered) {
    const call = runners[answered] as Call<unknown>;
    // A start goes on when the service has ended meanwhile.
    send(response, (await call(...args, ...(name === 'events' ? [left.signal] : []))) ?? null);
    if (name === 'close') parts.ended();
    return;
  }
  const streamed = STREAMED.find((one) => one === name);
  if (!streamed) throw new HttpError(404, `There is no call ${name}.`);
  const call = runners[streamed] as Call<AsyncIterable<unknown>>;
  await stream(response, await call(...args, left.signal), left.signal);
}

async function stream(response: ServerResponse, pieces: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
  response.writeHead(200).flushHeaders();
  for await (const piece of pieces) {
    if (!response.write(`${JSON.stringify(piece)}\n`)) await once(response, 'drain', { signal }).catch(() => {});
  }
  response.end();
}

function send(response: ServerResponse, value: unknown): void {
  response.writeHead(200).end(JSON.stringify(value));
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, log } = error instanceof HttpError ? error : new HttpError(500, '');
  // What is no sentence is for the log of the service.
  const cause = error instanceof HttpError ? undefined : messageOf(error);
  response.writeHead(status).end(JSON.stringify({ error: sentenceOf(error), log, cause }));
}
