import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type HttpServer, httpServer } from '../../support/service/http-server.ts';
import type { Fault, FaultyAnswer, FaultyAnswers } from './faults.ts';

/** The header in which a call can carry its fault through the proxy. The service does not get it. */
export const FAULT_HEADER = 'x-fault';

/** A proxy in front of one service. It does to each call what its header says, or what `decide` returns. */
export interface FaultProxy extends HttpServer {
  /** Where calls go, as `http://127.0.0.1:<port>`. */
  target: string;
}

/** How a proxy finds the fault of a call that carries none, and how long one that hangs keeps its connection. */
interface ProxyOptions {
  readonly decide?: () => Fault | null;
  readonly hangsMs?: number;
}

/** Longer than every time limit of a caller. */
const HANGS_MS = 20_000;

/** Starts the proxy of a service that speaks like this. */
export async function faultProxy(
  answers: FaultyAnswers,
  { decide = () => null, hangsMs = HANGS_MS }: ProxyOptions = {},
): Promise<FaultProxy> {
  const server = await httpServer(async (request, response) => {
    const { [FAULT_HEADER]: carried, ...headers } = request.headers;
    const fault = carried ?? decide();
    const body = await buffer(request);
    if (fault === 'refused') return void response.destroy();
    if (fault === 'hangs') return hang(response, hangsMs);
    if (fault === 'throttled') return answer(response, answers.throttled(String(headers['x-amz-target'] ?? '')));
    if (fault === 'fails') return answer(response, answers.failed());
    const answered = await forward(proxy.target, { method: request.method, path: request.url, headers }, body);
    if (fault === 'lost') return void response.destroy();
    if (fault === 'late') return hang(response, hangsMs);
    response.writeHead(answered.status, answered.headers);
    if (fault !== 'cut' || answered.body.length < 2) return void response.end(answered.body);
    response.write(answered.body.subarray(0, Math.floor(answered.body.length / 2)));
    setTimeout(() => response.destroy(), 5);
  });
  const proxy: FaultProxy = { ...server, target: '' };
  return proxy;
}

function hang(response: ServerResponse, milliseconds: number): void {
  const timer = setTimeout(() => response.destroy(), milliseconds);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}

function answer(response: ServerResponse, { status, headers, body }: FaultyAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

interface Forwarded extends Pick<IncomingMessage, 'method' | 'headers'> {
  readonly path: string | undefined;
}

/** The whole answer: a call that loses it must have had its effect before. */
function forward(target: string, { method, path, headers }: Forwarded, body: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const onward = send({ hostname, port, path, method, headers, agent: false }, (response) => {
      buffer(response).then((whole) => {
        const { 'transfer-encoding': _, connection: __, ...kept } = response.headers;
        const length =
          method === 'HEAD' || response.statusCode === 204 ? {} : { 'content-length': String(whole.length) };
        resolve({ status: response.statusCode ?? 502, headers: { ...kept, ...length }, body: whole });
      }, reject);
    });
    onward.on('error', reject);
    onward.end(body);
  });
}
