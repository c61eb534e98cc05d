import type { Change } from './deploy-log.ts';

/**
 * What a follower is told: the number of the user's last change, or null when signals may have been missed and it should
 * look for itself; and some of the changes up to it, in their order, when they came along.
 */
export type OnSignal = (last: number | null, changes?: readonly Change[]) => void;

/** A subscription, until it is closed; a second `close` does nothing. */
export interface Subscription {
  close(): void;
}

/**
 * Tells that the log of a user has grown. A signal is a hint, nothing more: it may come twice, late, in the wrong order
 * or not at all. Whoever gets it reads the log, unless the very changes that it lacks came along.
 */
export interface Signals {
  /** Calls `onSignal` from now on, first when it is connected. Never throws: without a connection it keeps trying. */
  subscribe(user: string, onSignal: OnSignal): Subscription;
}

/** Through which of the service's two sockets a connection came: its own functions', or that of clients outside. */
export type Side = 'inside' | 'outside';

/** An open connection that wants to be told of changes. */
export interface Connection {
  readonly id: string;
  readonly side: Side;
}

/** Who is connected. What is in it may be gone already: posting tells. */
export interface Connections {
  /** Remembers whose connection this is, while it opens. It is told of nothing yet. */
  open(connection: Connection, user: string): Promise<void>;
  /**
   * Has an open connection be told of its user's changes, and gives that user; null when nobody opened it. A second call
   * changes nothing.
   */
  register(connection: Connection): Promise<string | null>;
  /** Forgets a connection; one that is not known is fine. */
  close(id: string): Promise<void>;
  /** The registered connections of a user. */
  list(user: string): Promise<readonly Connection[]>;
}

/** Sends to open connections. */
export interface Posting {
  /** Sends a text; false when the connection is gone. Throws when it could not be sent for another reason. */
  post(connection: Connection, text: string): Promise<boolean>;
}
