import Database from 'libsql';

type Row = Record<string, unknown>;

/** Returns all rows of all tables in the file of a log. */
export function rowsOf(path: string): readonly Row[] {
  const database = new Database(path, { readonly: true });
  try {
    return tablesOf(database).flatMap((name) => database.prepare(`SELECT * FROM "${name}"`).all() as Row[]);
  } finally {
    database.close();
  }
}

/**
 * Removes all tables but that of the users from the file of a log, also of one that a service has open: logins work then,
 * and nothing else.
 */
export function dropTables(path: string): void {
  const database = new Database(path);
  try {
    for (const name of tablesOf(database).filter((one) => one !== 'accounts')) database.exec(`DROP TABLE "${name}"`);
  } finally {
    database.close();
  }
}

function tablesOf(database: Database.Database): readonly string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  return (tables.all() as { name: string }[]).map(({ name }) => name);
}
