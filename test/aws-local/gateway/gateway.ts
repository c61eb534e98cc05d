import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openListeners } from '../../../lib/http/listeners.ts';
import { hasOneHost, NOT_ONE_HOST } from '../../../lib/http/refusal.ts';
import type { Functions } from '../invoke/invoke.ts';
import { invocationDenials } from '../permissions/invocations.ts';
import type { Template } from '../template/template.ts';
import { GatewayError, readGatewayResponses } from './gateway-responses.ts';
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
  const respond = readGatewayResponses(api.responses);
  const errorResponse = (error: GatewayError, request: GatewayRequest): HttpResponse => {
    const context = { ...requestContextOf(api, request), authorizer: error.authorizer };
    const stageVariables = variablesFor(api, request.host);
    return respond(error.type, { context, stageVariables });
  };
  const gateway = { backend, errorResponse, onRequest, streamIdleMs };
  const { port, close } = await openListeners({ port: options.port }, (server) => {
    server.on('request', (message, response) => {
      handle(gateway, message, response).catch(() => response.destroy());
    });
  });
  return { url: `http://127.0.0.1:${port}`, port, close };
}

async function handle(
  gateway: {
    backend: RestApiBackend;
    errorResponse: (error: GatewayError, request: GatewayRequest) => HttpResponse;
    onRequest: (record: AccessRecord) => void;
    streamIdleMs: number | undefined;
  },
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const started = performance.now();
  const request = readRequest(message, randomUUID());
  let reason: string | undefined;
  response.once('close', () => {
    const { requestId, httpMethod: method, path } = request;
    const ms = performance.now() - started;
    const status = response.headersSent ? response.statusCode : 499;
    gateway.onRequest({ requestId, method, path, status, ms, ...(reason === undefined ? {} : { reason }) });
  });
  try {
    if (!hasOneHost(message)) throw new GatewayError('DEFAULT_4XX', { reason: NOT_ONE_HOST.sentence });
    const staged = atStage(request, gateway.backend.api.stage);
    if (!staged) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', { reason: 'no such stage' });
    const answer = await handleRequest(gateway.backend, staged, message);
    await send(response, request.requestId, answer, gateway.streamIdleMs);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    if (error instanceof GatewayError) reason = error.reason;
    if (response.headersSent || response.destroyed) return;
    const gatewayError = error instanceof GatewayError ? error : new GatewayError('INTEGRATION_FAILURE');
    await send(response, request.requestId, gateway.errorResponse(gatewayError, request));
  }
}
