import { STATUS_CODES } from 'node:http';
import { Refusal, refusals } from '../gateway/refusal.ts';

/** A handshake or message that the gateway refuses. `reason` is for the log; the client sees status and message. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message = STATUS_CODES[status] ?? 'Forbidden') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** The rejection in whatever was thrown: the REST gateway's refusals keep their status, the unforeseen is 500. */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  if (error instanceof Refusal) return new Rejection(refusals[error.type].status, error.reason, error.message);
  return new Rejection(500, error instanceof Error ? error.message : String(error), 'Internal server error');
}
