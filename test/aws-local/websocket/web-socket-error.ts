import { STATUS_CODES } from 'node:http';
import { GATEWAY_ERRORS, GatewayError } from '../gateway/gateway-error.ts';

/** A handshake or message that the gateway refuses. `reason` is for the log; the client sees status and message. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message = STATUS_CODES[status] ?? 'Forbidden') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * Returns the response for an error: the REST gateway's GATEWAY_ERRORS keep their status, unexpected errors are 500.
 */
export function webSocketErrorOf(error: unknown): WebSocketError {
  if (error instanceof WebSocketError) return error;
  if (error instanceof GatewayError)
    return new WebSocketError(GATEWAY_ERRORS[error.type].status, error.reason, error.message);
  return new WebSocketError(500, error instanceof Error ? error.message : String(error), 'Internal server error');
}
