import { DeployError, problem } from '../core/errors.ts';
import type { Trace } from '../core/ports/system.ts';
import { version } from '../core/version.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';

export interface RenderedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Returns the headers of any answer with those that all have: the id of its request and the API's version. */
export function identified(headers: Readonly<Record<string, string>>, uuid: string): Record<string, string> {
  return { ...headers, 'x-api-uuid': uuid, 'x-api-version': version };
}

export function rendered({ status, headers = {}, body }: HttpAnswer, uuid: string): RenderedAnswer {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    status,
    headers: identified({ ...type, ...headers }, uuid),
    body: isText ? body : body === undefined ? '' : JSON.stringify(body),
  };
}

export function problemAnswer(error: DeployError, request: Pick<HttpRequest, 'base' | 'uuid'>): HttpAnswer {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
    },
    body: problem(error.code, error.detail, request),
  };
}

/** Returns the error that a client sees: any but a DeployError is `request:failed`. Causes are only logged. */
export function clientError(error: unknown, uuid: string, trace: Trace): DeployError {
  if (error instanceof DeployError && error.cause === undefined) return error;
  trace('request failed', { uuid, error });
  if (error instanceof DeployError) return error;
  return new DeployError('request:failed', `Internal error; logged as ${uuid}.`);
}

/** Returns the error of a request whose login cannot be checked before these seconds are over. */
export function loginThrottled(seconds: number): DeployError {
  const detail = `Too many passwords were wrong or are being checked; try again in ${seconds} s, or use an API token.`;
  return new DeployError('request:throttled', detail, { retryAfter: seconds });
}
