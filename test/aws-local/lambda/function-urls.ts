import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen, reservePort } from '../../../lib/http/ports.ts';
import { bodyOf } from '../wire/endpoint.ts';
import { ServiceError } from '../wire/service.ts';
import type { FunctionRecord, FunctionStore } from './function-store.ts';
import type { Invocations } from './invocations.ts';
import { MAX_PAYLOAD_BYTES, MAX_STREAM_BYTES, type ServerRequest, type Sink } from './web-adapter.ts';

/** The servers of the function URLs, each with a port of its own, because a host name does not resolve everywhere. */
export interface FunctionUrls {
  /** Serves a new URL and returns its port. */
  serve(name: string, qualifier: string): Promise<number>;
  end(name: string, qualifier: string): Promise<void>;
  close(): Promise<void>;
}

/** Serves the URLs of the store's functions. */
export function openFunctionUrls(options: {
  readonly store: FunctionStore;
  readonly invocations: Invocations;
}): FunctionUrls {
  const servers = new Map<string, Server>();
  const serve = async (name: string, qualifier: string): Promise<number> => {
    const server = createServer((request, response) => {
      answer({ ...options, name, qualifier }, request, response).catch(() => response.destroy());
    });
    servers.set(`${name}:${qualifier}`, server);
    return listen(server, await reservePort(0));
  };
  const end = async (key: string): Promise<void> => {
    const server = servers.get(key);
    servers.delete(key);
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    serve,
    end: (name, qualifier) => end(`${name}:${qualifier}`),
    close: async () => void (await Promise.all([...servers.keys()].map(end))),
  };
}

interface Answering {
  readonly store: FunctionStore;
  readonly invocations: Invocations;
  readonly name: string;
  readonly qualifier: string;
}

async function answer(url: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const record = url.store.find(url.name);
  if (!record || !isPublic(record, url.qualifier))
    return send(
      response,
      403,
      'Forbidden. For troubleshooting Function URL authorization issues, see: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html',
    );
  const body = await bodyOf(request, MAX_PAYLOAD_BYTES);
  if (!body) return send(response, 413, 'Request Too Long');
  try {
    const { error } = await url.invocations.run(record, url.qualifier, forwarded(request, body), sinkTo(response));
    if (!error) return void response.end();
    if (response.headersSent) return void response.destroy();
    send(response, 502, 'Internal Server Error');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.type === 'TooManyRequestsException') return send(response, 429, 'Rate Exceeded.');
    send(response, 503, error.message);
  }
}

/** The addresses that the server of an application may ask for: its own, as a visitor knows it, and the visitor's. */
function forwarded({ method = 'GET', url: path = '/', headers, socket }: IncomingMessage, body: Buffer): ServerRequest {
  const about = { 'x-forwarded-for': socket.remoteAddress ?? '', 'x-forwarded-proto': 'http' };
  return { method, path, headers: { ...headers, ...about }, body };
}

function sinkTo(response: ServerResponse): Sink {
  return {
    mostBytes: MAX_STREAM_BYTES,
    begin: ({ statusCode, headers, cookies }) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (cookies.length > 0) response.setHeader('set-cookie', cookies);
      response.writeHead(statusCode);
      response.flushHeaders();
    },
    write: (chunk) =>
      new Promise((resolve) => {
        if (response.destroyed || response.write(chunk)) return resolve();
        const go = () => {
          response.off('drain', go).off('close', go);
          resolve();
        };
        response.once('drain', go).once('close', go);
      }),
  };
}

function send(response: ServerResponse, status: number, Message: string): void {
  // What is left of the body is not read.
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 413 && { connection: 'close' }) });
  response.end(JSON.stringify({ Message }));
}

/** Both permissions are needed since 2025: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html */
function isPublic({ statements }: FunctionRecord, qualifier: string): boolean {
  const forAll = statements.filter((one) => one.Principal === '*' && (one.Qualifier ?? '$LATEST') === qualifier);
  return (
    forAll.some((one) => one.Action === 'lambda:InvokeFunctionUrl' && one.FunctionUrlAuthType === 'NONE') &&
    forAll.some((one) => one.Action === 'lambda:InvokeFunction' && one.InvokedViaFunctionUrl === true)
  );
}
