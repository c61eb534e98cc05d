import type { IncomingMessage, ServerResponse } from 'node:http';
import { FunctionError, PayloadTooLarge } from '../invoke/function-error.ts';
import type { Functions } from '../invoke/invoke.ts';
import { authorize, authorizerFailed, requireIdentity } from './authorizer.ts';
import { functionResponse, type ResponseHead, responseHead } from './function-response.ts';
import {
  type AuthorizerContext,
  authorizerEvent,
  type EventBase,
  eventBase,
  methodArn,
  proxyEvent,
} from './proxy-event.ts';
import { Refusal } from './refusal.ts';
import { type GatewayRequest, readBody } from './request.ts';
import type { AuthorizerSettings, Method, RestApi } from './rest-api.ts';
import type { Route } from './routes.ts';
import { within } from './within.ts';

/** What goes back to the client: a whole body, or one that comes in pieces until `endsAt` (epoch milliseconds). */
export type Answer = ResponseHead &
  ({ readonly body: Buffer | string } | { readonly body: AsyncIterableIterator<Uint8Array>; readonly endsAt: number });

/** The parts of the API that answering a request needs. */
export interface Backend {
  readonly api: RestApi;
  readonly route: (httpMethod: string, path: string) => Route | undefined;
  readonly functions: Pick<Functions, 'invoke' | 'invokeStreaming'>;
}

// An authorizer has the time of an integration: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const authorizerTimeoutMs = 29_000;

/**
 * Takes a request through the API: route, body, authorizer, function.
 *
 * @param waits whether the client waits for `100 Continue` before it sends the body
 * @throws Refusal when the gateway has to answer itself; the error of the connection when the client went away
 */
export async function answer(
  backend: Backend,
  request: GatewayRequest,
  connection: { message: IncomingMessage; response: ServerResponse; waits: boolean },
): Promise<Answer> {
  const { message, response, waits } = connection;
  const body = await readBody(message, response, waits);
  const route = backend.route(request.httpMethod, request.path);
  if (!route) throw new Refusal('MISSING_AUTHENTICATION_TOKEN', { reason: 'no such method or path' });
  const base = eventBase(backend.api, request, route);
  const { method } = route;
  const authorizer = method.authorizer && (await askAuthorizer(backend, method.authorizer, request, base));
  const contentType = message.headers['content-type'] ?? '';
  const event = proxyEvent(backend.api, base, { body, contentType, authorizer });
  return method.stream ? stream(backend.functions, method, event) : call(backend.functions, method, event);
}

async function askAuthorizer(
  { api, functions }: Backend,
  { functionName, identitySources }: AuthorizerSettings,
  request: GatewayRequest,
  base: EventBase,
): Promise<AuthorizerContext> {
  requireIdentity(identitySources, request);
  const arn = methodArn(api, request);
  const asked = functions.invoke(functionName, authorizerEvent(base, arn));
  const result = await within(authorizerTimeoutMs, asked, () => new Error('the authorizer timed out')).catch(
    (error) => {
      throw authorizerFailed(error);
    },
  );
  return authorize(result, arn);
}

async function call(functions: Backend['functions'], method: Method, event: object): Promise<Answer> {
  // The function goes on after the gateway has given up, as on AWS; only its answer is lost.
  const called = functions.invoke(method.functionName, event);
  const result = await within(method.timeoutMs, called, () => timedOut(method)).catch((error) => {
    throw integrationFailed(method, error);
  });
  return functionResponse(result);
}

async function stream(functions: Backend['functions'], method: Method, event: object): Promise<Answer> {
  const endsAt = Date.now() + method.timeoutMs;
  const opened = functions.invokeStreaming(method.functionName, event);
  const { prelude, body } = await within(method.timeoutMs, opened, () => timedOut(method)).catch((error) => {
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

function timedOut({ functionName, timeoutMs }: Method): Refusal {
  return new Refusal('INTEGRATION_TIMEOUT', { reason: `${functionName} did not answer in ${timeoutMs} ms` });
}

function integrationFailed({ functionName }: Method, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const reason = `${functionName}: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof FunctionError) return new Refusal('DEFAULT_5XX', { reason });
  return new Refusal(error instanceof PayloadTooLarge ? 'REQUEST_TOO_LARGE' : 'INTEGRATION_FAILURE', { reason });
}
