import { DeployError, type ErrorCode } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';
import { readJson } from './body.ts';
import type { Answer } from './exchange.ts';
import { RefusedAddress } from './reach.ts';

/** What was being tried, for the error when it fails. */
export interface Attempt {
  readonly code: ErrorCode;
  /** As the object of a sentence: `package.json of octocat/hello at 1a2b3c4`. */
  readonly what: string;
  /** Name of the host as people know it: `github.com`. */
  readonly host: string;
  /** Whether a token was sent along. */
  readonly authorized: boolean;
}

/**
 * The error for an answer that is not the hoped-for one; reads the body. Rate limits and 5xx can be tried again, rate
 * limits with `retryAfter`; what the caller must change first cannot.
 */
export async function refusal(attempt: Attempt, answer: Answer): Promise<DeployError> {
  const { code, what, host } = attempt;
  const said = await saying(answer);
  const tried = `${host} answered ${answer.status}${said} to the request for ${what}.`;
  const pause = pauseOf(answer);
  if (pause !== null) {
    const detail = `${tried} It asks for a pause (rate limit) of ${pause} s.${moreWithToken(attempt)}`;
    return new DeployError(code, detail, { retry: true, retryAfter: pause });
  }
  const retry = answer.status >= 500 || answer.status === 408;
  return new DeployError(code, `${tried} ${advice(attempt, answer.status)}`.trim(), { retry });
}

/** The error for an exchange that came to no answer, or whose answer broke off. */
export function breakdown(attempt: Attempt, cause: unknown): DeployError {
  if (cause instanceof DeployError) return cause;
  const { code, what, host } = attempt;
  if (cause instanceof RefusedAddress) {
    const detail = `${what} was not fetched from ${host}: ${cause.message}.`;
    return new DeployError(code, detail, { retry: false, cause });
  }
  return new DeployError(code, `${host} could not be reached for ${what}: ${reasonOf(cause)}.`, { retry: true, cause });
}

/**
 * Seconds to wait when the answer is a rate limit, else null
 * (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit).
 */
function pauseOf({ status, headers }: Answer): number | null {
  if (status !== 403 && status !== 429 && status !== 503) return null;
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(1, Math.ceil(after));
  if (status === 503) return null;
  if (headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset']);
    return Number.isFinite(reset) ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : 60;
  }
  return status === 429 ? 60 : null;
}

function advice({ authorized }: Attempt, status: number): string {
  if (status >= 500) return 'That is on its side and may pass.';
  if (status === 401) return 'The token is not accepted (any more): pair a new one with POST /1/auth/repohost.';
  if (status !== 403 && status !== 404) return '';
  return authorized
    ? 'Does the repository exist, and may the paired token see it? Pair another token with POST /1/auth/repohost.'
    : 'Is it a private repository? Then pair a token with POST /1/auth/repohost.';
}

function moreWithToken({ authorized }: Attempt): string {
  return authorized ? '' : ' With a token it would be higher: pair one with POST /1/auth/repohost.';
}

/** GitHub's own words, which tell for instance which permission a token lacks. */
async function saying(answer: Answer): Promise<string> {
  const body = await readJson(answer);
  const message = isObject(body) && typeof body.message === 'string' ? oneLine(body.message, 200) : null;
  return message === null ? '' : ` (${message})`;
}

/** The system's code or our own sentence: other messages may quote what was sent. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it failed';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.name === 'TimedOut' ? cause.message : 'the exchange broke off';
}
