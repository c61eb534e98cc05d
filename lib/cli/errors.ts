/** The arguments of a command are wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command was refused or failed; the message is a sentence for the user. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}

/** The service does not answer, or the connection to it broke. */
export class Unreachable extends Failure {
  override readonly name = 'Unreachable';
}
