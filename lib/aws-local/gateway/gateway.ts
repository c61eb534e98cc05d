import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { OperatorError } from '../../processes/operator-error.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { Template } from '../template/template.ts';
import { type Answer, answer, type Backend } from './answer.ts';
import { compileGatewayResponses } from './gateway-responses.ts';
import { refusedContext } from './proxy-event.ts';
import { Refusal } from './refusal.ts';
import { type GatewayRequest, readRequest } from './request.ts';
import { readRestApi } from './rest-api.ts';
import { compileRoutes } from './routes.ts';
import { send } from './send.ts';

/** A served REST API. */
export interface Gateway {
  /** Origin without a slash at the end, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and ends every connection, streams included. A second call does nothing. */
  close(): Promise<void>;
}

/** One line of the access log. It has no query, which may carry secrets. */
export interface AccessRecord {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** 499 when the client went away before it was answered. */
  readonly status: number;
  /** From the first byte of the request to the last of the response. */
  readonly ms: number;
  /** Why the gateway answered itself; for the log only. */
  readonly reason?: string;
}

/**
 * Serves the `AWS::ApiGateway::RestApi` of a template as API Gateway would: routes, REQUEST authorizer, Lambda proxy
 * integrations (whole and streamed) and gateway responses. Results of authorizers are never cached (a TTL of 0), and
 * the stage is no part of the path.
 *
 * @param options.port 0 for any free one
 * @param options.host 127.0.0.1 unless told otherwise
 * @throws OperatorError when the port is taken or the API has something that this gateway cannot serve
 */
export async function startGateway(options: {
  template: Template;
  functions: Pick<Functions, 'invoke' | 'invokeStreaming'>;
  port: number;
  host?: string;
  onRequest?: (record: AccessRecord) => void;
}): Promise<Gateway> {
  const { template, functions, port, host = '127.0.0.1', onRequest = () => {} } = options;
  const api = readRestApi(template);
  const backend = { api, functions, route: compileRoutes(api.methods) };
  const respond = compileGatewayResponses(template.ofType('AWS::ApiGateway::GatewayResponse'));
  const refuse = (refusal: Refusal, request: GatewayRequest): Answer => {
    const context = { ...refusedContext(api, request), authorizer: refusal.authorizer };
    const { headers, ...response } = respond(refusal.type, { ...request, context });
    return { ...response, headers: headers.map(([name, value]) => [name, [value]]) };
  };
  const serve = (waits: boolean) => (message: IncomingMessage, response: ServerResponse) =>
    handle({ backend, refuse, onRequest }, { message, response, waits }).catch(() => response.destroy());

  const server = createServer({ keepAliveTimeout: 60_000 }, serve(false));
  server.on('checkContinue', serve(true));
  const listening = await listen(server, port, host);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}`,
    port: listening,
    close: () => close(server),
  };
}

async function handle(
  gateway: {
    backend: Backend;
    refuse: (refusal: Refusal, request: GatewayRequest) => Answer;
    onRequest: (record: AccessRecord) => void;
  },
  connection: { message: IncomingMessage; response: ServerResponse; waits: boolean },
): Promise<void> {
  const { response } = connection;
  const started = performance.now();
  const request = readRequest(connection.message, randomUUID());
  let reason: string | undefined;
  response.once('close', () => {
    const { requestId, httpMethod: method, path } = request;
    const ms = performance.now() - started;
    const status = response.headersSent ? response.statusCode : 499;
    gateway.onRequest({ requestId, method, path, status, ms, ...(reason === undefined ? {} : { reason }) });
  });
  try {
    await send(response, request.requestId, await answer(gateway.backend, request, connection));
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Refusal) reason = error.reason;
    if (response.headersSent || response.destroyed) return;
    const refusal = error instanceof Refusal ? error : new Refusal('INTEGRATION_FAILURE');
    await send(response, request.requestId, gateway.refuse(refusal, request));
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new OperatorError(`the gateway cannot listen on ${host}:${port}; is another one running?`, { cause });
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
