import type { AppEventCursor } from '../../../core/ports/applications.ts';
import type { StoredToken, TokenStore } from '../../../core/ports/repository-host.ts';
import type { StoreContext } from './writer.ts';

export function sqliteTokens({ connection, writer }: StoreContext): TokenStore {
  return {
    get: async (user, host, app) => {
      const sql = 'SELECT doc FROM tokens WHERE user = ? AND host = ? AND app = ?';
      const row = connection.get<{ doc: string }>(sql, user, host, app);
      return row ? tokenOf(row) : null;
    },
    put: (user, token) =>
      writer.run(() => {
        const sql = 'INSERT OR REPLACE INTO tokens (user, host, app, doc) VALUES (?, ?, ?, ?)';
        connection.run(sql, user, token.host, token.app, JSON.stringify(token));
      }),
    list: async (user) =>
      connection.all<{ doc: string }>('SELECT doc FROM tokens WHERE user = ? ORDER BY host, app', user).map(tokenOf),
    remove: (user, host, app) =>
      writer.run(
        () => connection.run('DELETE FROM tokens WHERE user = ? AND host = ? AND app = ?', user, host, app) > 0,
      ),
  };
}

function tokenOf({ doc }: { readonly doc: string }): StoredToken {
  return JSON.parse(doc) as StoredToken;
}

export function sqliteAppEventCursor({ connection, writer }: StoreContext): AppEventCursor {
  return {
    read: async () => connection.get<{ seq: number }>('SELECT seq FROM app_events')?.seq ?? 0,
    write: (seq) =>
      writer.run(() => {
        connection.run('INSERT OR REPLACE INTO app_events (source, seq) VALUES (1, ?)', seq);
      }),
  };
}
