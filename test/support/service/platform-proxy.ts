import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { type HttpServer, httpServer } from './http-server.ts';

/** A call of the platform API on its way through the proxy. */
export interface PlatformCall {
  readonly method: string;
  readonly path: string;
  /** The user of its login. */
  readonly user: string;
}

/** What replaces the platform's response. */
export type Fault = 'hangs' | 'hangs up' | { readonly status: number; readonly error: string };

/** A proxy in front of the platform that can fail single calls. */
export interface PlatformProxy extends HttpServer {
  /** The address that calls are forwarded to. */
  target: string;
  /** Fails matching calls, a given number of times. */
  fail(fits: (call: PlatformCall) => boolean, fault: Fault, times?: number): void;
}

interface Rule {
  readonly fits: (call: PlatformCall) => boolean;
  readonly fault: Fault;
  left: number;
}

/** Starts the proxy, which forwards every call without a fault. */
export async function platformProxy(): Promise<PlatformProxy> {
  const rules: Rule[] = [];
  const server = await httpServer((request, response) => {
    const call = callOf(request);
    const rule = rules.find(({ fits, left }) => left > 0 && fits(call));
    // The service calls the platform before a test knows its address.
    if (!rule && proxy.target === '') return fail('hangs up', request, response);
    if (!rule) return forward(proxy.target, request, response);
    rule.left -= 1;
    fail(rule.fault, request, response);
  });
  const proxy: PlatformProxy = {
    ...server,
    target: '',
    fail: (fits, fault, times = Number.POSITIVE_INFINITY) => void rules.unshift({ fits, fault, left: times }),
  };
  return proxy;
}

function callOf({ method = '', url = '', headers }: IncomingMessage): PlatformCall {
  const [, encoded = ''] = headers.authorization?.split(' ') ?? [];
  const [user = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  return { method, path: url.split('?')[0] ?? '', user };
}

function fail(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  if (fault === 'hangs') return;
  if (fault === 'hangs up') return void response.destroy();
  // The body must be read, or the client would not read the response.
  request.resume();
  response.writeHead(fault.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: fault.error }));
}

function forward(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = send(`${target}${request.url}`, { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
