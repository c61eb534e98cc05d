import type { ErrorCode } from '../errors.ts';

/** A call of the webhook that was refused, so that it has no entry. It holds nothing of the payload and no secret. */
export interface RefusedCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly code: ErrorCode;
  readonly detail: string;
  /** The `User-Agent` of the caller, shortened; null when it sent none. */
  readonly agent: string | null;
}

/** The last refused call of each user, for a day. Anybody can send one for any name, with any `User-Agent`. */
export interface RefusedCalls {
  note(user: string, call: RefusedCall): Promise<void>;
  last(user: string): Promise<RefusedCall | null>;
}

/** How long a refused call is kept. */
export const REFUSED_KEPT_MS = 24 * 60 * 60_000;

const MAX_AGENT = 120;

/** Returns the `User-Agent` that is kept. */
export function agentOf(header: string | undefined): string | null {
  return header ? header.slice(0, MAX_AGENT) : null;
}
