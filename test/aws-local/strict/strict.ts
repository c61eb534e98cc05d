import type { Lag } from '../emulators/database-process.ts';
import type { Invoker } from '../invoke/invoker.ts';
import { strictEvents } from './events.ts';

/** What differs between accounts, and between runs. */
export interface Strictness {
  /** Invocations that the account may run at a time; default: those of a new account. */
  readonly concurrency?: number;
  /** Builds that the account may run at a time; default: as many as are started. A new account may have 0. */
  readonly builds?: number;
  /**
   * Calls of Lambda's control plane a second, of all callers; default: any number. An account has 15.
   * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#api-requests
   */
  readonly controlCalls?: number;
  /**
   * With it, reads lag and batches come twice, as this number decides: the same one makes the same choices. Both may
   * happen on AWS, and mostly do not.
   */
  readonly seed?: number;
}

/** Returns the options of the database with which reads of functions lag. */
export function lag({ seed }: Strictness): { lag?: Lag } {
  return seed === undefined ? {} : { lag: { seed } };
}

/** Returns the invoker for events. */
export function eventInvoker(functions: Invoker, { seed }: Strictness): Invoker {
  return strictEvents(functions, seed === undefined ? { doubledPart: 0 } : { seed });
}
