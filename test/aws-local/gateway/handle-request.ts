import type { IncomingMessage, ServerResponse } from 'node:http';
import { within } from '../../../functions/adapters/system/within.ts';
import { FunctionError, PayloadTooLarge, Throttled } from '../invoke/function-error.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { InvocationDenial } from '../permissions/invocations.ts';
import { API_GATEWAY, authorize, authorizerFailed } from './authorizer.ts';
import { readBody } from './body.ts';
import { functionResponse, type ResponseHead, responseHead } from './function-response.ts';
import { GatewayError } from './gateway-responses.ts';
import {
  type AuthorizerContext,
  authorizerEvent,
  type EventBase,
  eventBase,
  methodArn,
  proxyEvent,
} from './proxy-event.ts';
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
export interface RestApiBackend {
  readonly api: RestApi;
  readonly route: (httpMethod: string, path: string) => MatchedRoute | undefined;
  readonly functions: Pick<Functions, 'invoke' | 'invokeStreaming'>;
  /** Whether a method takes one more request now. */
  readonly admits: (method: Method) => boolean;
  /** Why the API may not invoke a function. */
  readonly denial: InvocationDenial;
}

// An authorizer has the same timeout as an integration:
// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const AUTHORIZER_TIMEOUT_MS = 29_000;

/**
 * Handles a request to the API: route, throttle, authorizer, body, function. The body is read last, so that a client
 * without a login cannot make the gateway hold it.
 *
 * @param expectsContinue whether the client waits for `100 Continue` before it sends the body
 * @throws GatewayError when the gateway itself responds; the connection's error when the client disconnects
 */
export async function handleRequest(
  backend: RestApiBackend,
  request: GatewayRequest,
  connection: { message: IncomingMessage; response: ServerResponse; expectsContinue: boolean },
): Promise<HttpResponse> {
  const { message, response, expectsContinue } = connection;
  const route = backend.route(request.httpMethod, request.path);
  if (!route) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', { reason: 'no such method or path' });
  const base = eventBase(backend.api, request, route);
  const { method } = route;
  if (!backend.admits(method)) throw new GatewayError('THROTTLED', { reason: 'the stage takes no more of them now' });
  const authorizer =
    method.authorizer === undefined ? undefined : await askAuthorizer(backend, method.authorizer, request, base);
  const denial = backend.denial({ ...method, principal: API_GATEWAY });
  if (denial !== undefined) throw new GatewayError('API_CONFIGURATION_ERROR', { reason: denial });
  const body = await readBody(message, response, expectsContinue);
  const event = proxyEvent(base, body, authorizer);
  return method.stream ? stream(backend.functions, method, event) : call(backend.functions, method, event);
}

async function askAuthorizer(
  { api, functions, denial }: RestApiBackend,
  called: NonNullable<Method['authorizer']>,
  request: GatewayRequest,
  base: EventBase,
): Promise<AuthorizerContext> {
  const refusal = denial({ ...called, principal: API_GATEWAY });
  if (refusal !== undefined) throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', { reason: refusal });
  const arn = methodArn(api, request);
  const asked = functions.invoke(called.functionName, authorizerEvent(base, arn));
  const result = await within(
    AUTHORIZER_TIMEOUT_MS,
    () => asked,
    () => new Error('the authorizer timed out'),
  ).catch((error) => {
    throw authorizerFailed(error);
  });
  return authorize(result, arn);
}

async function call(functions: RestApiBackend['functions'], method: Method, event: object): Promise<HttpResponse> {
  // As on AWS, the function keeps running after the gateway's timeout; its response is discarded.
  const called = functions.invoke(method.functionName, event);
  const result = await within(
    method.timeoutMs,
    () => called,
    () => timedOut(method),
  ).catch((error) => {
    throw integrationFailed(method, error);
  });
  return functionResponse(result);
}

async function stream(functions: RestApiBackend['functions'], method: Method, event: object): Promise<HttpResponse> {
  const endsAt = Date.now() + method.timeoutMs;
  const opened = functions.invokeStreaming(method.functionName, event);
  const { prelude, body } = await within(
    method.timeoutMs,
    () => opened,
    () => timedOut(method),
  ).catch((error) => {
    void opened.then((late) => late.body.return?.()).catch(() => {});
    throw integrationFailed(method, error);
  });
  try {
    return { ...responseHead({ ...prelude }), body, endsAt };
  } catch (error) {
    await body.return?.();
    throw error;
  }
}

function timedOut({ functionName, timeoutMs }: Method): GatewayError {
  return new GatewayError('INTEGRATION_TIMEOUT', { reason: `${functionName} did not answer in ${timeoutMs} ms` });
}

function integrationFailed({ functionName }: Method, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const reason = `${functionName}: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof FunctionError) return new GatewayError('DEFAULT_5XX', { reason });
  // As on AWS, where the client does not see that it was throttled.
  if (error instanceof Throttled) return new GatewayError('API_CONFIGURATION_ERROR', { reason });
  return new GatewayError(error instanceof PayloadTooLarge ? 'REQUEST_TOO_LARGE' : 'INTEGRATION_FAILURE', { reason });
}
