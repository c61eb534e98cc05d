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
