/** What a WebSocket API allows; bytes and milliseconds. */
export interface Limits {
  /** Of a whole message, either way. */
  readonly messageBytes: number;
  /** Of one frame that a client sends; a longer message has to come in several. */
  readonly frameBytes: number;
  /** Without a message either way; pings do not count. */
  readonly idleMs: number;
  /** Of a connection, whatever happens on it. */
  readonly lifeMs: number;
  /** What may wait for a client that does not read. */
  readonly bufferedBytes: number;
  /** Messages of one connection under way at which its socket is read no further; what was read already still comes. */
  readonly messagesAtOnce: number;
  /** How long a client may take to answer the close frame. */
  readonly closeMs: number;
  /** How long the end of the server waits for `$disconnect`. */
  readonly disconnectTimeoutMs: number;
}

/**
 * The quotas of API Gateway, and for what it does not publish, values that keep one machine healthy.
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
