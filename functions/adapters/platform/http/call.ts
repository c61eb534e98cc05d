import { DeployError, type ErrorCode } from '../../../core/errors.ts';
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
  /** The error code of a failure. */
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
