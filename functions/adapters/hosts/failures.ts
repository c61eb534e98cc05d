import { DeployError, type ErrorCode } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';
import { RefusedAddress } from './http/address-policy.ts';
import { readJson } from './http/body.ts';
import type { HttpResponse } from './http/http-client.ts';

/** The purpose of a request, for the error when it fails. */
export interface RequestContext {
  readonly code: ErrorCode;
  /** The requested thing, as in a sentence: `package.json of octocat/hello at 1a2b3c4`. */
  readonly what: string;
  /** The host name of its web pages: `github.com`. */
  readonly host: string;
  /** The endpoint to pair a token for the host: `/1/auth/github`. */
  readonly pairAt: string;
  /** Whether a token was sent. */
  readonly authorized: boolean;
}

/**
 * Returns the error for an unexpected response, whose body it reads. Rate limits and 5xx are retryable, rate limits
 * with `retryAfter`; what the caller must change first is not.
 */
export async function refusal(requestContext: RequestContext, response: HttpResponse): Promise<DeployError> {
  const { code, what } = requestContext;
  const message = await messageOf(requestContext, response);
  const summary = `${requestContext.host} answered ${response.status}${message} to the request for ${what}.`;
  const pause = pauseOf(response);
  if (pause !== null) {
    const detail = `${summary} It asks for a pause (rate limit) of ${pause} s.${moreWithToken(requestContext)}`;
    return new DeployError(code, detail, { retry: true, host: 'away', retryAfter: pause });
  }
  const host = failureOf(response.status);
  const detail = `${summary} ${advice(requestContext, response.status)}`.trim();
  return new DeployError(code, detail, { retry: host === 'away', host });
}

/** GitHub responds 422 for an unknown commit id. */
function failureOf(status: number): DeployError['host'] {
  if (status >= 500 || status === 408) return 'away';
  return status === 404 || status === 422 ? 'unknown' : undefined;
}

/** Returns the error for a request without a response, or with an incomplete one. */
export function breakdown(requestContext: RequestContext, cause: unknown): DeployError {
  if (cause instanceof DeployError) return cause;
  const { code, what, host } = requestContext;
  if (cause instanceof RefusedAddress) {
    const detail = `${what} was not fetched from ${host}: ${cause.message}.`;
    return new DeployError(code, detail, { retry: false, cause });
  }
  const detail = `${host} could not be reached for ${what}: ${reasonOf(cause)}.`;
  return new DeployError(code, detail, { retry: true, host: 'away', cause });
}

/** Returns the error for a response that is not as the API documents it. */
export function notUnderstood({ code, host }: RequestContext): DeployError {
  return new DeployError(code, `The response of ${host} could not be understood.`, { retry: true, host: 'away' });
}

/**
 * Returns the seconds to wait when the response is a rate limit, else null. GitHub may send it with status 403, and
 * names its headers `X-RateLimit-…`, GitLab `RateLimit-…`; Bitbucket and GitLab's limit on archives send no time.
 *
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 * https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers
 * https://support.atlassian.com/bitbucket-cloud/docs/api-request-limits/
 */
export function pauseOf({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): number | null {
  if (status !== 403 && status !== 429 && status !== 503) return null;
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(1, Math.ceil(after));
  if (status === 503) return null;
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  if (remaining === '0') return untilReset(Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']));
  return status === 429 ? 60 : null;
}

/**
 * Returns the seconds between two requests of a kind at which half of what a host still allows is left for others; 0
 * when it does not say. Without a token GitHub allows 60 an hour.
 */
export function paceOf({ headers }: Pick<HttpResponse, 'headers'>): number {
  const remaining = Number(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'] ?? Number.NaN);
  if (!Number.isFinite(remaining)) return 0;
  const seconds = untilReset(Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']));
  return Math.ceil(seconds / Math.max(1, remaining / 2));
}

/** Returns the seconds until a reset, which is a Unix time or, behind some proxies, the number of seconds itself. */
function untilReset(reset: number): number {
  if (!Number.isFinite(reset)) return 60;
  const seconds = reset > 1_000_000_000 ? reset - Date.now() / 1000 : reset;
  return Math.max(1, Math.ceil(seconds));
}

function advice({ authorized, pairAt }: RequestContext, status: number): string {
  if (status >= 500) return 'This is an error of the host and may be temporary.';
  if (status === 401) return `The token is not or no longer accepted: pair a new one with POST ${pairAt}.`;
  if (status !== 403 && status !== 404) return '';
  return authorized
    ? `Does the repository exist, and may the paired token see it? Pair another token with POST ${pairAt}.`
    : `Is it a private repository? Then pair a token with POST ${pairAt}.`;
}

function moreWithToken({ authorized, pairAt }: RequestContext): string {
  return authorized ? '' : ` With a token it would be higher: pair one with POST ${pairAt}.`;
}

/** Returns the host's error message, which for example names the permission that a token lacks. */
async function messageOf({ code }: RequestContext, response: HttpResponse): Promise<string> {
  const body = await readJson(response);
  // After a request with a password, the message could repeat it.
  if (code === 'auth:repohost:github_pairing_failed') return '';
  const line = oneLine(messageIn(body), 200);
  return line === null ? '' : ` (${line})`;
}

/** GitHub and Gitea: `{message}`; GitLab: `{message}` or `{error}`; Bitbucket: `{error: {message}}`. */
function messageIn(body: unknown): string {
  if (!isObject(body)) return '';
  const { message, error } = body;
  if (typeof message === 'string') return message;
  if (typeof error === 'string') return error;
  return isObject(error) && typeof error.message === 'string' ? error.message : '';
}

/** The system's code or our own sentence: other messages may quote what was sent. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it failed';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.name === 'TimedOut' ? cause.message : 'the exchange broke off';
}
