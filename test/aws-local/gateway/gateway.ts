import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasCode } from '../../../lib/files/errors.ts';
import { openListeners } from '../../../lib/http/listeners.ts';
import { hasOneHost, NOT_ONE_HOST, statusOf, type UnreadableError } from '../../../lib/http/refusal.ts';
import type { Functions } from '../invoke/invoke.ts';
import { invocationDenials } from '../permissions/invocations.ts';
import type { Template } from '../template/template.ts';
import { leaveBody } from './body.ts';
import { compileGatewayResponses, GatewayError } from './gateway-responses.ts';
import { type HttpResponse, handleRequest, type RestApiBackend } from './handle-request.ts';
import { requestContextOf } from './proxy-event.ts';
import { atStage, type GatewayRequest, readRequest } from './request.ts';
import { readRestApi, variablesFor } from './rest-api.ts';
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

/** One line of the access log, without the query, which may contain secrets. */
export interface AccessRecord {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** 499 when the client disconnected before the response. */
  readonly status: number;
  /** From the first byte of the request to the last of the response. */
  readonly ms: number;
  /** Why the gateway itself responded; for the log only. */
  readonly reason?: string;
}

/**
 * Serves the `AWS::ApiGateway::RestApi` of a template as API Gateway would: routes, REQUEST authorizer, Lambda proxy
 * integrations (whole and streamed) and gateway responses. Authorizer results are never cached (a TTL of 0). The stage is
 * part of the path at AWS's own domain names only.
 *
 * @param options.port 0 for any free one
 * @param options.admits whether a method takes one more request now; by default, always
 * @throws OperatorError when the port is taken or the API has something that this gateway cannot serve
 */
export async function startGateway(options: {
  template: Template;
  functions: Pick<Functions, 'invoke' | 'invokeStreaming'>;
  admits?: RestApiBackend['admits'];
  port: number;
  onRequest?: (record: AccessRecord) => void;
  streamIdleMs?: number;
}): Promise<Gateway> {
  const { template, functions, admits = () => true, onRequest = () => {}, streamIdleMs } = options;
  const api = readRestApi(template);
  const denial = invocationDenials(template);
  const backend = { api, functions, admits, denial, route: compileRoutes(api.methods) };
  const respond = compileGatewayResponses(api.responses);
  const errorResponse = (error: GatewayError, request: GatewayRequest): HttpResponse => {
    const context = { ...requestContextOf(api, request), authorizer: error.authorizer };
    const stageVariables = variablesFor(api, request.host);
    const { headers, ...response } = respond(error.type, { ...request, context, stageVariables });
    return { ...response, headers: headers.map(([name, value]) => [name, [value]]) };
  };
  const serve = (expectsContinue: boolean) => (message: IncomingMessage, response: ServerResponse) => {
    const gateway = { backend, errorResponse, onRequest, streamIdleMs };
    handle(gateway, { message, response, expectsContinue }).catch(() => response.destroy());
  };
  const prepare = (server: Server) => {
    server.on('request', serve(false));
    server.on('checkContinue', serve(true));
    // Another expectation than that is ignored, as by API Gateway: https://www.rfc-editor.org/rfc/rfc9110#field.expect
    server.on('checkExpectation', serve(false));
    server.on('clientError', (error, socket) => refuseUnreadable(error, socket, errorResponse));
  };
  const { port, close } = await openListeners({ port: options.port }, prepare);
  return { url: `http://127.0.0.1:${port}`, port, close };
}

async function handle(
  gateway: {
    backend: RestApiBackend;
    errorResponse: (error: GatewayError, request: GatewayRequest) => HttpResponse;
    onRequest: (record: AccessRecord) => void;
    streamIdleMs: number | undefined;
  },
  connection: { message: IncomingMessage; response: ServerResponse; expectsContinue: boolean },
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
    if (!hasOneHost(connection.message)) throw new GatewayError('DEFAULT_4XX', { reason: NOT_ONE_HOST.sentence });
    const staged = atStage(request, gateway.backend.api.stage);
    if (!staged) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', { reason: 'no such stage' });
    const answer = await handleRequest(gateway.backend, staged, connection);
    await send(response, request.requestId, answer, gateway.streamIdleMs);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    if (error instanceof GatewayError) reason = error.reason;
    if (response.headersSent || response.destroyed) return;
    leaveBody(connection.message, response, connection.expectsContinue);
    const gatewayError = error instanceof GatewayError ? error : new GatewayError('INTEGRATION_FAILURE');
    await send(response, request.requestId, gateway.errorResponse(gatewayError, request));
  }
}

/**
 * Answers a connection whose bytes are no request, or none that can be read, with the gateway response of the template:
 * what Node answers by itself has neither an id nor the shape of the API's errors.
 *
 * @see https://nodejs.org/api/http.html#event-clienterror
 */
function refuseUnreadable(
  error: UnreadableError,
  socket: Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
  errorResponse: (error: GatewayError, request: GatewayRequest) => HttpResponse,
): void {
  if (!socket.writable || hasCode(error, 'ECONNRESET') || socket._httpMessage?.headersSent)
    return void socket.destroy();
  const request = unreadRequest();
  const { headers, ...response } = errorResponse(new GatewayError('DEFAULT_4XX', { reason: error.message }), request);
  const status = statusOf(error);
  const body = 'endsAt' in response ? '' : String(response.body).replace(/"status":400\b/, `"status":${status}`);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
    `x-amzn-RequestId: ${request.requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function unreadRequest(): GatewayRequest {
  const nothing = { headers: {}, multiValueHeaders: {}, query: null, multiValueQuery: null, userAgent: null };
  const line = {
    httpMethod: 'GET',
    path: '/',
    wholePath: '/',
    protocol: 'HTTP/1.1',
    host: 'localhost',
    sourceIp: '127.0.0.1',
  };
  return { requestId: randomUUID(), receivedAt: Date.now(), ...line, ...nothing };
}
