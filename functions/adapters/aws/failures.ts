import { DeployError, type ErrorCode } from '../../core/errors.ts';
import { QUOTAS, type Quota, quotaLink } from './quotas.ts';

/** Errors of AWS that a later call may not meet: something else is changing, or there were too many calls. */
const TEMPORARY = new Set([
  'TooManyRequestsException',
  'ThrottlingException',
  'ResourceConflictException',
  'PreconditionFailedException',
  'OperationAbortedException',
  // CodeBuild runs as many builds as it may.
  'AccountLimitExceededException',
  'ProvisionedThroughputExceededException',
  'TransactionConflictException',
]);

/** The quotas that errors are about, by their name, or by the reason that Lambda gives with `TooManyRequestsException`. */
const REACHED: Readonly<Record<string, Quota | undefined>> = {
  CodeStorageExceededException: QUOTAS.codeStorage,
  ConcurrentInvocationLimitExceeded: QUOTAS.concurrency,
  CallerRateLimitExceeded: QUOTAS.controlPlane,
  // CloudWatch Logs raises it: each application has a log group with one filter.
  LimitExceededException: QUOTAS.logGroups,
};

/** Returns the name of an error of the SDK; empty for anything else. */
function errorName(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Returns Lambda's reason for a call that it refused because as many run as may, or as many are made; undefined for another error. */
export function throttledBy(error: unknown): string | undefined {
  return errorName(error) === 'TooManyRequestsException' ? (shapeOf(error).Reason ?? '') : undefined;
}

/** Returns the result of a call; undefined when it fails with the error of that name. */
export async function unless<T>(name: string, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (errorName(error) === name) return undefined;
    throw error;
  }
}

/**
 * Runs calls of AWS. Throws what fails with the code and what was tried; a `DeployError` passes. `builds` is the quota of
 * builds that run at a time, which depends on their compute.
 */
export async function onAws<T>(
  code: ErrorCode,
  what: string,
  call: () => Promise<T>,
  builds: Quota = QUOTAS.buildsOnLambda,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof DeployError ? error : failed(error, code, what, builds);
  }
}

function failed(cause: unknown, code: ErrorCode, what: string, builds: Quota): DeployError {
  const { $metadata, message, Reason } = shapeOf(cause);
  const status = $metadata?.httpStatusCode ?? 500;
  const name = errorName(cause);
  // What CodeBuild enforces in a new account may be 0, whatever Service Quotas shows: then no later call is better.
  const never = name === 'AccountLimitExceededException' && /\bmore than 0\b/i.test(message);
  const retry = !never && (status >= 500 || status === 429 || TEMPORARY.has(name));
  const quota = name === 'AccountLimitExceededException' ? builds : (REACHED[name] ?? REACHED[Reason ?? '']);
  if (quota) return new DeployError(code, quotaReached(what, message, quota), { retry, cause });
  if (retry) return new DeployError(code, `AWS could not complete ${what}; try again.`, { retry, cause });
  return new DeployError(code, `AWS refused ${what}: ${explained(message)}`, { retry, cause });
}

/** AWS's sentence has at most the number that is allowed, and not the name of the quota. */
function quotaReached(what: string, message: string, quota: Quota): string {
  const said = message.trim().replace(/\.$/, '');
  return `AWS cannot complete ${what} now: ${said}. Request more of “${quota.name}” (${quota.code}): ${quotaLink(quota)}`;
}

function shapeOf(error: unknown): {
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** The field of Lambda's `TooManyRequestsException`. */
  readonly Reason?: string;
} {
  return error instanceof Error ? error : { message: 'no reason given' };
}

function explained(message: string): string {
  if (/unzipped size must be smaller/i.test(message)) {
    return 'the application is larger than the 250 MB that Lambda allows; remove what it does not need when it runs.';
  }
  if (/4 ?KB limit/i.test(message)) return 'the variables are larger than the 4 KB that Lambda allows.';
  return message;
}
