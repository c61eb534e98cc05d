import { DeployError, type ErrorCode } from '../../core/errors.ts';

/** CodeBuild runs as many builds as it may. The quota of a new account may be 0. */
const QUOTA_REACHED = 'AccountLimitExceededException';
/** Errors of AWS that a later call may not meet: something else is changing, or there were too many calls. */
const TEMPORARY = new Set([
  'TooManyRequestsException',
  'ThrottlingException',
  'ResourceConflictException',
  'PreconditionFailedException',
  'OperationAbortedException',
  QUOTA_REACHED,
  'ProvisionedThroughputExceededException',
  'TransactionConflictException',
]);

/** Returns the name of an error of the SDK; empty for anything else. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Runs calls of AWS. Throws what fails with the code and what was tried; a `DeployError` passes. */
export async function onAws<T>(code: ErrorCode, what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof DeployError ? error : failed(code, what, error);
  }
}

function failed(code: ErrorCode, what: string, cause: unknown): DeployError {
  const { $metadata, message } = shapeOf(cause);
  const status = $metadata?.httpStatusCode ?? 500;
  const retry = status >= 500 || status === 429 || TEMPORARY.has(errorName(cause));
  if (errorName(cause) === QUOTA_REACHED) return new DeployError(code, quotaReached(what, message), { retry, cause });
  if (retry) return new DeployError(code, `AWS could not complete ${what}; try again.`, { retry, cause });
  return new DeployError(code, `AWS refused ${what}: ${explained(message)}`, { retry, cause });
}

/** AWS's sentence has the number that is allowed, and not the name of the quota. */
function quotaReached(what: string, message: string): string {
  const quota = '“Concurrently running builds for ARM Lambda/4GB environment” (L-72045165)';
  return `AWS cannot start ${what} now: ${message.replace(/\.$/, '')}. Service Quotas in the console raises it: ${quota}.`;
}

function shapeOf(error: unknown): {
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
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
