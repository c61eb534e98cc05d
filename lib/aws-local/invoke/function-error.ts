import type { ErrorDescription } from './messages.ts';

/**
 * An invocation that the function failed: what Lambda reports with the header `X-Amz-Function-Error`. Besides the
 * names of what the handler threw, `errorType` may be `Sandbox.Timedout`, `Runtime.ExitError` (the worker died),
 * `Runtime.ImportModuleError` (the bundle did not load) or `Function.ResponseSizeTooLarge`.
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

/** The event is larger than Lambda takes; on AWS the invoke itself is refused with 413, and the function never runs. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
}
