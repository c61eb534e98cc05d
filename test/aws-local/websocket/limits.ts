/** Limits of a WebSocket API, in bytes and milliseconds. */
export interface Limits {
  /** Of a whole message, either way. */
  readonly messageBytes: number;
  /** Of one frame from a client; a longer message needs several. */
  readonly frameBytes: number;
  /** Without a message either way; pings do not count. */
  readonly idleMs: number;
  /** Duration of a connection, idle or not. */
  readonly lifeMs: number;
  /** Buffered for a client that does not read. */
  readonly bufferedBytes: number;
  /** Running messages of one connection at which its socket is not read further; data already read is still handled. */
  readonly messagesAtOnce: number;
  /** Time limit for a client's response to the close frame. */
  readonly closeMs: number;
  /** Time limit for `$disconnect` when the server closes. */
  readonly disconnectTimeoutMs: number;
}

/**
 * The quotas of API Gateway, and sensible values for those that it does not publish.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const AWS_LIMITS: Limits = {
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  idleMs: 10 * 60_000,
  lifeMs: 2 * 60 * 60_000,
  bufferedBytes: 1024 * 1024,
  messagesAtOnce: 64,
  closeMs: 1_000,
  disconnectTimeoutMs: 2_000,
};
