import * as v from 'valibot';
import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import type { AppRef } from '../../../core/ports/platform.ts';
import { isPathSegment } from '../../../core/text.ts';
import { readErrorMessage, readLog, readRetryAfter } from './answers.ts';
import {
  type PlatformHttpOptions,
  type PlatformRequest,
  type PlatformResponse,
  platformHttp,
  type ServiceToken,
  withServiceToken,
} from './client.ts';

interface PlatformCallRequest extends Omit<PlatformRequest, 'credentials'> {
  readonly user: string;
  readonly code: ErrorCode;
  /** Names the call in error messages: `the upload of 1.0.0-7`. */
  readonly what: string;
  /** Statuses other than 2xx that are not failures. */
  readonly accept?: readonly number[];
  /** The 5xx status with which the platform says that the work itself has failed, so that a retry cannot help. */
  readonly failsWith?: number;
}

/** Makes a call and returns the response. Throws the request's code for a refusal and for no response. */
type PlatformCall = (request: PlatformCallRequest) => Promise<PlatformResponse>;

export type PlatformCallOptions = ServiceToken & PlatformHttpOptions;

/** Returns the calls of the platform API in the service's own name. Throws like `platformHttp`. */
export function platformCall(options: PlatformCallOptions): PlatformCall {
  const http = platformHttp(options);
  const withToken = withServiceToken(options);
  return async (request) => {
    if (!request.path.every(isPathSegment)) {
      const detail = 'The name of the user or the application cannot be part of a path.';
      throw new DeployError(request.code, detail, { retry: false });
    }
    const { user } = request;
    let sent = false;
    const response = await withToken((secret) => {
      if (sent && request.bytes) throw new TokenReplaced();
      sent = true;
      return http({ ...request, credentials: { user, secret } });
    }).catch((cause: unknown) => {
      throw noResponse(request, cause);
    });
    const { status } = response;
    if ((status >= 200 && status < 300) || request.accept?.includes(status)) return response;
    throw refused(request, response);
  };
}

interface AppCalls {
  /** What they are about: `the domains`. */
  readonly what: string;
  readonly timeoutMs: number;
  /** The codes of the statuses with which the platform refuses a change in a sentence that is passed on. */
  readonly refusals?: Readonly<Record<number, ErrorCode>>;
}

interface AppCallRequest<S extends v.GenericSchema> extends Pick<PlatformRequest, 'method' | 'json' | 'ifMatch'> {
  /** The path below that of the application; its own when absent. */
  readonly path?: readonly string[];
  /** The form of the answer; absent: it is not read. */
  readonly answer?: S;
  readonly timeoutMs?: number;
}

/** The platform's answer to a call with the tag of something that was changed since. */
export const CHANGED_MEANWHILE = 412;

interface AppAnswer<S extends v.GenericSchema> {
  readonly status: number;
  readonly answer: v.InferOutput<S>;
  readonly etag: string | null;
}

/**
 * Returns the calls about one application. Each returns null when the platform answers 404, and throws
 * `request:failed`, or the code of a refusal.
 */
export function appCalls(options: PlatformCallOptions, { what, timeoutMs, refusals = {} }: AppCalls) {
  const call = platformCall(options);
  const refused = Object.keys(refusals).map(Number);
  return async <S extends v.GenericSchema = v.UnknownSchema>(
    app: AppRef,
    { path = [], answer, ...sent }: AppCallRequest<S>,
  ): Promise<AppAnswer<S> | null> => {
    const about = { what: `${what} of ${app.app}`, code: 'request:failed' } as const;
    const accept = sent.method === 'GET' ? [404] : [404, ...refused, ...(sent.ifMatch ? [CHANGED_MEANWHILE] : [])];
    const { status, body, etag } = await call({ timeoutMs, ...sent, ...about, ...appPath(app, ...path), accept });
    if (status === 404) return null;
    const code = refusals[status];
    if (code === undefined) return { status, answer: answer && understood(answer, body, about.what), etag };
    const detail = readErrorMessage(body) ?? `The platform refused ${about.what} without a reason.`;
    throw new DeployError(code, detail, code === 'request:throttled' ? { retryAfter: 1 } : {});
  };
}

export function appPath({ user, app }: AppRef, ...more: readonly string[]) {
  return { user, path: ['apps', user, app, ...more] };
}

/** Returns an answer as the schema describes it. Throws `request:failed` for another one. */
export function understood<S extends v.GenericSchema>(schema: S, body: unknown, what: string): v.InferOutput<S> {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  throw new DeployError('request:failed', `The platform's answer to ${what} is not understood.`, { retry: true });
}

/** Returns those of a list in an answer that are as the schema describes them. */
export function listed<S extends v.GenericSchema>(schema: S, list: unknown): v.InferOutput<S>[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    const result = v.safeParse(schema, one);
    return result.success ? [result.output] : [];
  });
}

/** A stream can be read only once, so its request is repeated by a retry of the stage. */
class TokenReplaced extends Error {
  override readonly name = 'TokenReplaced';
}

function noResponse({ code, what, timeoutMs }: PlatformCallRequest, cause: unknown): DeployError {
  if (cause instanceof TokenReplaced) {
    return new DeployError(code, `The token for the platform was replaced before ${what}.`, { retry: true });
  }
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const when = isTimeout ? ` within ${timeoutMs / 1000} seconds` : '';
  return new DeployError(code, `The platform did not answer ${what}${when}.`, { retry: true, cause });
}

function refused(request: PlatformCallRequest, { status, body, retryAfter }: PlatformResponse): DeployError {
  const message = readErrorMessage(body);
  const seconds = readRetryAfter(retryAfter, Date.now());
  const isFinal = status === request.failsWith && message !== null;
  const refusal = `The platform refused ${request.what} (${status}): ${message ?? 'no reason given'}`;
  const detail = isFinal ? message : refusal;
  return new DeployError(request.code, detail, {
    retry: !isFinal && isTemporary(status),
    logTail: readLog(body),
    ...(seconds !== undefined && { retryAfter: seconds }),
  });
}

/** Whether the same request may succeed later. */
function isTemporary(status: number): boolean {
  if (status >= 500) return status !== 501 && status !== 505;
  return status === 408 || status === 425 || status === 429;
}
