import type { Connection } from '../core/ports/connections.ts';

/** So many users are kept, and so many connections of each: what a process may hold, and what is told in a few rounds. */
const USERS = 1_000;
const CONNECTIONS = 100;

/**
 * Whom a process has told of changes lately. Nobody depends on it: it may have forgotten somebody, and some may be gone.
 * An id is never given twice, so it cannot name somebody else's connection.
 */
export class RecentConnections {
  readonly #users = new Map<string, readonly Connection[]>();

  of(user: string): readonly Connection[] {
    return this.#users.get(user) ?? [];
  }

  /** Keeps them in place of those that were kept for the user. */
  keep(user: string, connections: readonly Connection[]): void {
    this.#users.delete(user);
    if (connections.length > 0) this.#users.set(user, connections.slice(0, CONNECTIONS));
    const [longest] = this.#users.keys();
    if (this.#users.size > USERS && longest !== undefined) this.#users.delete(longest);
  }
}
