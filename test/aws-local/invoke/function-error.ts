import type { ErrorDescription } from './messages.ts';

/**
 * A failed invocation, which Lambda reports with the header `X-Amz-Function-Error`. Besides the
 * name of the error that the handler threw, `errorType` may be `Sandbox.Timedout`, `Runtime.ExitError` (the worker
 * died), `Runtime.ImportModuleError` (the bundle did not load) or `Function.ResponseSizeTooLarge`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html
 */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  readonly errorType: string;
  readonly errorMessage: string;
  /** The stack inside the function; for the log, never for a client. */
  readonly trace: readonly string[];

  constructor({ errorType, errorMessage, trace }: ErrorDescription, options?: ErrorOptions) {
    super(`${errorType}: ${errorMessage}`, options);
    this.errorType = errorType;
    this.errorMessage = errorMessage;
    this.trace = trace;
  }
}

/** The event exceeds Lambda's limit; on AWS, Invoke fails with 413 and the function does not run. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
}

/** Lambda runs as many invocations as it may already: on AWS the call fails with 429. */
export class Throttled extends Error {
  override readonly name = 'TooManyRequestsException';

  /** Whether the runs that are reserved for the function are used up, not those of the account. */
  readonly isOfFunction: boolean;

  constructor(functionName: string, isOfFunction = false) {
    super(`${functionName} was throttled: as many invocations run as the account or the function may have`);
    this.isOfFunction = isOfFunction;
  }
}
