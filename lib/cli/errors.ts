/** The arguments of a command are wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command was refused or failed; the message is a sentence for the user. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}
