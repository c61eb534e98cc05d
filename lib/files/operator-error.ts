/**
 * An error for the person who started the service: the message is one sentence that says what happened and what to do
 * about it. The technical reason is kept as `cause`.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
