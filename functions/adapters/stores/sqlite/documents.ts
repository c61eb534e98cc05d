import { type Entry, storedEntry, withRunningStage } from '../../../core/entry/entry.ts';
import type { Connection } from './connection.ts';

/** An entry as it was appended, and what has changed since, both as JSON. */
export interface Documents {
  readonly doc: string;
  readonly patch: string;
}

/** The columns of an entry that its readers need. */
export interface EntryRow extends Documents {
  readonly id: number;
  readonly attempts: number;
  readonly lease: number | null;
  readonly taken_at: number | null;
  readonly due_at: number | null;
  readonly app: string | null;
}

/** The columns of `EntryRow` in a statement. */
export const ENTRY_COLUMNS = 'id, attempts, lease, taken_at, due_at, app, doc, patch';

export function entryRow(connection: Connection, user: string, number: number): EntryRow | undefined {
  return connection.get(`SELECT ${ENTRY_COLUMNS} FROM entries WHERE user = ? AND number = ?`, user, number);
}

/** An entry with the running stage among its stages, and as it was appended. */
export interface ReadEntry {
  readonly entry: Entry;
  readonly appended: Readonly<Record<string, unknown>>;
}

/** Reads a row. What has not changed since the entry was appended is the same object in both. */
export function readRow(row: EntryRow): ReadEntry {
  const appended: Record<string, unknown> = JSON.parse(row.doc);
  const entry = storedEntry({ ...appended, ...JSON.parse(row.patch) } as Entry);
  return { entry: withRunningStage(entry, { takenAt: row.taken_at, attempts: row.attempts }), appended };
}

/** Returns the entry in a row, with the running stage among its stages. */
export function entryOf(row: EntryRow): Entry {
  return readRow(row).entry;
}

export function changeOf({ doc, patch }: Documents): Entry {
  return storedEntry({ ...JSON.parse(doc), ...JSON.parse(patch) });
}

/** Returns the JSON of the fields in which an entry differs from the one that was appended. */
export function patchOf(appended: ReadEntry['appended'], entry: Entry): string {
  const changed = Object.entries(entry).filter(([name, value]) => !isSame(value, appended[name]));
  return JSON.stringify(Object.fromEntries(changed));
}

function isSame(value: unknown, other: unknown): boolean {
  if (value === other) return true;
  return typeof value === 'object' && typeof other === 'object' && JSON.stringify(value) === JSON.stringify(other);
}
