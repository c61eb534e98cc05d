import type { IncomingMessage } from 'node:http';
import { within } from '../../../functions/adapters/system/within.ts';
import { FunctionError, PayloadTooLarge, Throttled } from '../invoke/function-error.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { InvocationDenial } from '../permissions/invocations.ts';
import { bodyOf } from '../wire/endpoint.ts';
import { API_GATEWAY, askAuthorizer, type Backend, type Called } from './authorizer.ts';
import { functionResponse, type ResponseHead, responseHead } from './function-response.ts';
import { GatewayError } from './gateway-responses.ts';
import { authorizerEvent, eventBase, methodArn, proxyEvent } from './proxy-event.ts';
import type { GatewayRequest } from './request.ts';
import type { Method, RestApi } from './rest-api.ts';
import type { MatchedRoute } from './routes.ts';

/** The response to the client: a whole body, or a stream that ends by `endsAt` (epoch milliseconds). */
export type HttpResponse = ResponseHead & ({ readonly body: Buffer | string } | ResponseStream);

/** A body that is sent while it comes, until a time. */
export interface ResponseStream {
  readonly body: AsyncIterableIterator<Uint8Array>;
  readonly endsAt: number;
}

/** The parts of the API that handle a request. */
export interface RestApiBackend extends Backend {
  readonly api: RestApi;
  readonly route: (httpMethod: string, path: string) => MatchedRoute | undefined;
  readonly functions: Pick<Functions, 'invoke' | 'invokeStreaming'>;
  /** Whether a method takes one more request now. */
  readonly admits: (method: Method) => boolean;
}

/** The function behind a method or a route. */
export interface Integration extends Called {
  readonly timeoutMs: number;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Handles a request to the API: route, throttle, authorizer, body, function. The body is read last, so that a client
 * without a login cannot make the gateway hold it.
 *
 * @throws GatewayError when the gateway itself responds; the connection's error when the client disconnects
 */
export async function handleRequest(
  backend: RestApiBackend,
  request: GatewayRequest,
  message: IncomingMessage,
): Promise<HttpResponse> {
  const { api } = backend;
  const route = backend.route(request.httpMethod, request.path);
  if (!route) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', { reason: 'no such method or path' });
  const base = eventBase(api, request, route);
  const { method } = route;
  if (!backend.admits(method)) throw new GatewayError('THROTTLED', { reason: 'the stage takes no more of them now' });
  const authorizer =
    method.authorizer &&
    (await askAuthorizer(backend, method.authorizer, authorizerEvent(base, methodArn(api, request))));
  const body = await bodyOf(message, MAX_BODY_BYTES);
  if (!body) throw new GatewayError('REQUEST_TOO_LARGE', { reason: `the body is over ${MAX_BODY_BYTES} bytes` });
  const event = proxyEvent(base, body, authorizer);
  return method.stream ? stream(backend, method, event) : callFunction(backend, method, event);
}

/**
 * Invokes a function and returns its validated response. As on AWS, the function keeps running after the gateway's
 * timeout; its response is discarded.
 *
 * @throws GatewayError API_CONFIGURATION_ERROR when the API may not invoke it, INTEGRATION_TIMEOUT when it takes too
 *   long, DEFAULT_5XX (502) when it throws or returns an invalid response
 */
export async function callFunction(
  { functions, denial }: Backend,
  integration: Integration,
  event: object,
): Promise<ReturnType<typeof functionResponse>> {
  refuseDenied(denial, integration);
  return functionResponse(await inTime(integration, functions.invoke(integration.functionName, event)));
}

async function stream({ functions, denial }: RestApiBackend, method: Method, event: object): Promise<HttpResponse> {
  refuseDenied(denial, method);
  const endsAt = Date.now() + method.timeoutMs;
  const opened = functions.invokeStreaming(method.functionName, event);
  const { prelude, body } = await inTime(method, opened).catch((error) => {
    void opened.then((late) => late.body.return?.()).catch(() => {});
    throw error;
  });
  try {
    return { ...responseHead({ ...prelude }), body, endsAt };
  } catch (error) {
    await body.return?.();
    throw error;
  }
}

function refuseDenied(denial: InvocationDenial, called: Called): void {
  const reason = denial({ ...called, principal: API_GATEWAY });
  if (reason !== undefined) throw new GatewayError('API_CONFIGURATION_ERROR', { reason });
}

function inTime<T>({ functionName, timeoutMs }: Integration, invoked: Promise<T>): Promise<T> {
  const late = () =>
    new GatewayError('INTEGRATION_TIMEOUT', { reason: `${functionName} did not answer in ${timeoutMs} ms` });
  return within(timeoutMs, () => invoked, late).catch((error) => {
    throw integrationFailed(functionName, error);
  });
}

function integrationFailed(functionName: string, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const reason = `${functionName}: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof FunctionError) return new GatewayError('DEFAULT_5XX', { reason });
  // As on AWS, where the client does not see that it was throttled.
  if (error instanceof Throttled) return new GatewayError('API_CONFIGURATION_ERROR', { reason });
  return new GatewayError(error instanceof PayloadTooLarge ? 'REQUEST_TOO_LARGE' : 'INTEGRATION_FAILURE', { reason });
}
