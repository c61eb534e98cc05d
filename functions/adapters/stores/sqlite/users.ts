import type { UserStore } from '../../../core/ports/accounts.ts';
import type { StoreContext } from './writer.ts';

export function sqliteUsers({ connection, writer }: StoreContext): UserStore {
  const add = (user: string, document: string) =>
    connection.run('INSERT OR IGNORE INTO accounts (user, doc) VALUES (?, ?)', user, document) > 0;
  const replace = (user: string, document: string, replaced: string) =>
    connection.run('UPDATE accounts SET doc = ? WHERE user = ? AND doc = ?', document, user, replaced) > 0;
  return {
    read: async (user) => connection.get<{ doc: string }>('SELECT doc FROM accounts WHERE user = ?', user)?.doc ?? null,
    write: (user, document, replaced) =>
      writer.run(() => (replaced === null ? add(user, document) : replace(user, document, replaced))),
    remove: (user) => writer.run(() => connection.run('DELETE FROM accounts WHERE user = ?', user) > 0),
    list: async () => {
      const rows = connection.all<{ user: string; doc: string }>('SELECT user, doc FROM accounts ORDER BY user');
      return new Map(rows.map(({ user, doc }) => [user, doc]));
    },
  };
}
