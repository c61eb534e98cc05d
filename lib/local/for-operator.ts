import { OperatorError } from '../files/errors.ts';

/** Rejects with an OperatorError: the platform's errors are sentences for the operator too, without its class. */
export async function forOperator<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause;
    throw new OperatorError(cause.message, { cause });
  }
}
