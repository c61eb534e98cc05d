/** Limits of the WebSocket of signals, in bytes and milliseconds. */
export interface SignalLimits {
  readonly messageBytes: number;
  /** Bytes of one frame; a longer message needs several. */
  readonly frameBytes: number;
  /** Without a message either way; pings do not count. */
  readonly idleMs: number;
  /** Duration of a connection, idle or not. */
  readonly lifeMs: number;
  /** Kept for a client that does not read. */
  readonly unreadBytes: number;
  /** Until the client has answered the close frame. */
  readonly closeMs: number;
}

/**
 * The quotas of API Gateway, and sensible values for those that it does not publish.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const SIGNAL_LIMITS: SignalLimits = {
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  idleMs: 10 * 60_000,
  lifeMs: 2 * 60 * 60_000,
  unreadBytes: 1024 * 1024,
  closeMs: 1_000,
};
