import type { Entry } from '../../../core/entry/entry.ts';
import type { Badge } from '../../../core/entry/outcome.ts';
import { badgeOf } from '../../../core/entry/outcome.ts';
import type { LogReader, Page, PageQuery } from '../../../core/ports/log.ts';
import type { Connection } from './connection.ts';
import { changeOf, type Documents, ENTRY_COLUMNS, type EntryRow, entryOf } from './documents.ts';
import { readEntry } from './log.ts';
import type { StoreContext } from './writer.ts';

export function sqliteReader({ connection }: StoreContext): LogReader {
  return {
    read: async (user, number) => readEntry(connection, user, number),
    page: async (query) => page(connection, query),
    changes: async (user, since, limit) => changes(connection, { user, since, limit }),
    last: async (user) => counters(connection, user).changes,
    badge: async (user, repository, path) => shownBadge(connection, { user, name: repository.toLowerCase(), path }),
  };
}

function counters(connection: Connection, user: string): { readonly entries: number; readonly changes: number } {
  const sql = 'SELECT entries, changes FROM users WHERE name = ?';
  return connection.get(sql, user) ?? { entries: 0, changes: 0 };
}

/** A page is a range of numbers, because these have no gaps. So skipped entries are not read. */
function page(connection: Connection, { user, app, skip, limit }: PageQuery): Page {
  const total = app === null ? counters(connection, user).entries : entriesOf(connection, user, app);
  const newest = total - skip;
  const [within, number] = app === null ? ['user = ?', 'number'] : ['user = ? AND app = ?', 'app_number'];
  const sql = `SELECT ${ENTRY_COLUMNS} FROM entries
     WHERE ${within} AND ${number} > ? AND ${number} <= ? ORDER BY ${number} DESC`;
  const rows = connection.all<EntryRow>(sql, ...[user, ...(app === null ? [] : [app]), newest - limit, newest]);
  return { total, entries: rows.map(entryOf) };
}

function entriesOf(connection: Connection, user: string, app: string): number {
  const sql = 'SELECT entries FROM apps WHERE user = ? AND name = ?';
  return connection.get<{ entries: number }>(sql, user, app)?.entries ?? 0;
}

function changes(
  connection: Connection,
  { user, since, limit }: { readonly user: string; readonly since: number; readonly limit: number },
): readonly Entry[] {
  const sql = `SELECT entries.doc, changes.patch FROM changes JOIN entries ON entries.id = changes.entry
     WHERE changes.user = ? AND changes.seq > ? ORDER BY changes.seq LIMIT ?`;
  const rows = connection.all<Documents>(sql, user, since, limit);
  return rows.map(changeOf);
}

interface BadgeOf {
  readonly user: string;
  readonly name: string;
  readonly path: string | undefined;
}

/** Returns the badge of the newest unfinished deploy, or else a crash, or else the last result. */
function shownBadge(connection: Connection, { user, name, path }: BadgeOf): Badge {
  const newest = `SELECT status FROM entries
     WHERE user = ?1 AND repository = ?2 AND status IN ('queued', 'running', 'held') AND (?3 IS NULL OR path = ?3)
     ORDER BY number DESC LIMIT 1`;
  const underWay = connection.get<{ status: Entry['status'] }>(newest, user, name, path ?? null);
  if (underWay) return badgeOf(underWay) ?? 'unknown';
  const sql = 'SELECT outcome, crashed FROM badges WHERE user = ? AND repository = ? AND path = ?';
  const ended = connection.get<{ outcome: Badge | null; crashed: number }>(sql, user, name, path ?? '');
  return ended?.crashed ? 'crashed' : (ended?.outcome ?? 'unknown');
}
