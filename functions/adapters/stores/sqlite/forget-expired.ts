import type { Connection } from './connection.ts';

/** Every so many entries some of what has expired is removed: more than the entries between have added. */
const EVERY_ENTRIES = 16;
const ROWS = 256;

/** Tables whose rows expire in the order of their keys. */
const BY_KEY = [
  { table: 'changes', key: 'id' },
  { table: 'payloads', key: 'entry' },
  { table: 'deliveries', key: 'id' },
] as const;

/**
 * Removes some of what has expired, after some entries. In small steps, because a transaction holds up the event loop.
 * The pages are used again: the file does not shrink, and does not grow either.
 */
export function forgetExpired(connection: Connection, entry: number, now: number): void {
  if (entry % EVERY_ENTRIES !== 0) return;
  const seconds = Math.floor(now / 1000);
  for (const { table, key } of BY_KEY) {
    const oldest = `SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ${ROWS}`;
    connection.run(`DELETE FROM ${table} WHERE ${key} IN (${oldest}) AND expires <= ?`, seconds);
  }
  connection.run(
    `DELETE FROM commits WHERE (user, repository, sha, track) IN
       (SELECT user, repository, sha, track FROM commits WHERE expires <= ? ORDER BY expires LIMIT ${ROWS})`,
    seconds,
  );
}
