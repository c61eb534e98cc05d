/** The WebSocket API of a connection: that of the service's own functions, or that of clients. */
export type Side = 'internal' | 'public';

/** An open WebSocket connection. */
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
  /** Returns the registered connections of a user. */
  list(user: string): Promise<readonly Connection[]>;
}
