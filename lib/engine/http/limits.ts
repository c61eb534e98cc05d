import { MAX_PAYLOAD_BYTES } from '../../../functions/core/payload/payload.ts';

/** Limits of clients; the same as API Gateway's, where it has one. */
export interface HttpLimits {
  readonly bodyBytes: number;
  /** Bytes of the bodies of all requests together: a push has some kilobytes. */
  readonly bodiesBytes: number;
  /** Until a body has arrived whole. */
  readonly arrivalMs: number;
  /** A client that still sends a refused body after this time is disconnected. */
  readonly drainMs: number;
  /** Until an endpoint has answered, and until a login is checked. */
  readonly answerMs: number;
  /** Until the end of a stream. */
  readonly streamMs: number;
  /** Without a byte of an answer taken by its client; streams have heartbeats and their own end. */
  readonly stalledMs: number;
  /** Open connections; one more closes the one that has been idle longest without a login. */
  readonly connections: number;
  /** Requests of all connections that wait for the answer before theirs; the connection that sends more is closed. */
  readonly waiting: number;
  /** Open requests whose login is not checked yet, or not needed. */
  readonly strangers: number;
}

export const LIMITS: HttpLimits = {
  bodyBytes: MAX_PAYLOAD_BYTES,
  bodiesBytes: 128 * 1024 * 1024,
  arrivalMs: 60_000,
  drainMs: 10_000,
  answerMs: 29_000,
  streamMs: 15 * 60_000,
  stalledMs: 60_000,
  connections: 4_000,
  waiting: 10_000,
  strangers: 1_000,
};
