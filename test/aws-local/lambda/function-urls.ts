import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen, reservePort } from '../../../lib/http/ports.ts';
import { bodyOf } from '../wire/endpoint.ts';
import { ServiceError } from '../wire/service.ts';
import type { FunctionRecord, FunctionStore, Statement } from './function-store.ts';
import type { Invocations } from './invocations.ts';
import { eventOf } from './url-event.ts';
import { MAX_PAYLOAD_BYTES, MAX_STREAM_BYTES, type Sink } from './web-adapter.ts';

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
  const requestId = randomUUID();
  response.setHeader('x-amzn-requestid', requestId);
  try {
    const event = eventOf(request, body, requestId);
    const { error } = await url.invocations.run(record, url.qualifier, event, sinkTo(response));
    if (!error) return void response.end();
    if (response.headersSent) return void response.destroy();
    send(response, 502, 'Internal Server Error');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.type === 'TooManyRequestsException') return send(response, 429, 'Rate Exceeded.');
    send(response, 503, error.message);
  }
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
  const forAll = statements.filter((one) => one.principal === '*' && (one.qualifier ?? '$LATEST') === qualifier);
  const has = (matches: (statement: Statement) => boolean) => forAll.some(matches);
  return (
    has(({ action, urlAuthType }) => action === 'lambda:InvokeFunctionUrl' && urlAuthType === 'NONE') &&
    has(({ action, viaUrl }) => action === 'lambda:InvokeFunction' && viaUrl === true)
  );
}
