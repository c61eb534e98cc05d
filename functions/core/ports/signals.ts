import type { Change } from './log.ts';

/**
 * Receives the number of the user's last change, or null when signals may have been lost and the log's counter should
 * be read; and some of the changes up to that number, in order, when the signal contained them.
 */
export type OnSignal = (last: number | null, changes?: readonly Change[]) => void;

/** A subscription, until it is closed; a second `close` does nothing. */
export interface Subscription {
  close(): void;
}

/**
 * Best-effort notifications of changes in a user's log: one may arrive twice, late, out of order or not at all. The
 * receiver reads the log, unless the signal contained the changes that it lacks.
 */
export interface Signals {
  /** Calls `onSignal` from now on, first after connecting. Never throws: it reconnects until it is closed. */
  subscribe(user: string, onSignal: OnSignal): Subscription;
}

/** The WebSocket API of a connection: that of the service's own functions, or that of clients. */
export type Side = 'internal' | 'public';

export interface Connection {
  readonly id: string;
  readonly side: Side;
}

/** The open connections of users. A listed connection may be closed already; posting to it fails then. */
export interface ConnectionRegistry {
  /** Stores the user of a connection while it opens. It is not listed yet. */
  open(connection: Connection, user: string): Promise<void>;
  /**
   * Subscribes an open connection to its user's changes, and returns that user; null when the connection is not known.
   * A second call changes nothing.
   */
  register(connection: Connection): Promise<string | null>;
  /** Removes a connection, known or not. */
  close(id: string): Promise<void>;
  list(user: string): Promise<readonly Connection[]>;
}
