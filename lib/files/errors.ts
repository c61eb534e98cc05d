/** Whether an error of the system carries this code (`ENOENT`, `ESRCH`, …). */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Returns what the work does; undefined where it fails with a code of the system that is expected. Other errors are thrown. */
export async function unless<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}

/** Of a file that is not there. */
export const MISSING: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** Of a pause that its signal ends. */
export const ABORTED: readonly string[] = ['ABORT_ERR'];

/** Whether an error, or what has caused it, is that of a full disk. */
export function isFull(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].some((code) => hasCode(error, code))) return true;
  return error instanceof Error && error.cause !== undefined && isFull(error.cause);
}

/** What is said of it, to whoever reads the reason. */
export const FULL_DISK = 'The disk of the data folder is full: free some space on it.';

/**
 * An error for the operator: the message is one sentence that says what happened and what to do
 * about it. The technical reason is kept as `cause`.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Rejects with an `OperatorError`: other errors of some parts are sentences for the operator too, without its class. */
export async function forOperator<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause;
    throw new OperatorError(cause.message, { cause });
  }
}
