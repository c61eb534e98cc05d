import type { Connection } from './connections.ts';

/** Sends to open connections. */
export interface Posting {
  /** Sends a text; false when the connection is gone. Throws when it could not be sent for another reason. */
  post(connection: Connection, text: string): Promise<boolean>;
}
