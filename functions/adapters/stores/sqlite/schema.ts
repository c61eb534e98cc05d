/**
 * The versions of the schema: each has the statements that make it from the one before. A version that has been
 * released never changes.
 *
 * An entry's `doc` is the JSON of the entry as it was appended and never changes. `patch` has the fields that have
 * changed since, in the entry and in each of its changes. So a change costs what it changes, and each is read with one
 * join. Tables that expire have an integer key, whose order is that of time: the oldest rows are found without an index.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE users (
    name TEXT PRIMARY KEY,
    entries INTEGER NOT NULL, -- the number of the last entry
    changes INTEGER NOT NULL  -- the seq of the last change
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,
    number INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    status TEXT NOT NULL,
    stage TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    restarts INTEGER NOT NULL DEFAULT 0, -- tries at its stage that have ended with the process
    lease INTEGER,
    taken_at INTEGER,
    due_at INTEGER,     -- when the sweep looks at it; null: never
    repository TEXT,    -- its name in lower case, for a deploy only: it has a badge
    path TEXT,
    app TEXT,           -- the name in package.json
    app_number INTEGER, -- counts the entries of the application
    doc TEXT NOT NULL,
    patch TEXT NOT NULL DEFAULT '{}',
    UNIQUE (user, number)
  ) STRICT;
  CREATE INDEX entries_due ON entries (due_at) WHERE due_at IS NOT NULL;
  CREATE UNIQUE INDEX entries_of_app ON entries (user, app, app_number) WHERE app IS NOT NULL;
  CREATE INDEX entries_under_way ON entries (user, repository, number)
    WHERE repository IS NOT NULL AND status IN ('queued', 'running', 'held');

  CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    expires INTEGER NOT NULL, -- seconds since 1970, as in all tables
    user TEXT NOT NULL,
    seq INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    patch TEXT NOT NULL,
    UNIQUE (user, seq)
  ) STRICT;

  CREATE TABLE payloads (
    entry INTEGER PRIMARY KEY,
    expires INTEGER NOT NULL,
    gzip BLOB NOT NULL
  ) STRICT;

  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    expires INTEGER NOT NULL,
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    number INTEGER NOT NULL, -- the entry that it made
    UNIQUE (user, key)
  ) STRICT;

  CREATE TABLE branches (
    user TEXT NOT NULL,
    repository TEXT NOT NULL, -- host/owner/name in lower case
    track TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (user, repository, track)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE commits (
    user TEXT NOT NULL,
    repository TEXT NOT NULL,
    sha TEXT NOT NULL,
    track TEXT NOT NULL,
    state TEXT NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (user, repository, sha, track)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX commits_expires ON commits (expires);

  CREATE TABLE badges (
    user TEXT NOT NULL,
    repository TEXT NOT NULL,
    path TEXT NOT NULL,                 -- '' for the whole repository
    outcome TEXT,
    crashed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user, repository, path)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE apps (
    user TEXT NOT NULL,
    name TEXT NOT NULL, -- the name in package.json
    entries INTEGER NOT NULL DEFAULT 0,
    active INTEGER,     -- the number of the entry that it runs
    PRIMARY KEY (user, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE platform_apps (
    user TEXT NOT NULL,
    app TEXT NOT NULL, -- the platform's name
    claimed INTEGER NOT NULL DEFAULT 0,
    overruled INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    branch TEXT,
    due_at INTEGER,    -- when it is compared with its branch; null: never
    compared_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user, app)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX platform_apps_due ON platform_apps (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE tokens (
    user TEXT NOT NULL,
    host TEXT NOT NULL,
    app TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (user, host, app)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE app_events (
    source INTEGER PRIMARY KEY CHECK (source = 1), -- the platform
    seq INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE accounts (
    user TEXT PRIMARY KEY,
    doc TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The records of the platform of this machine; 'apps' and 'platform_apps' are what the log knows of applications.
  CREATE TABLE applications (
    user TEXT NOT NULL,
    app TEXT NOT NULL, -- its name in paths
    doc TEXT NOT NULL,
    variables TEXT NOT NULL DEFAULT '{}',
    folder TEXT,       -- the name whose folder still has its files, after a rename; null: its own
    PRIMARY KEY (user, app)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE domains (
    id INTEGER PRIMARY KEY, -- in the order of their additions
    name TEXT NOT NULL UNIQUE,
    user TEXT NOT NULL,
    app TEXT NOT NULL,
    FOREIGN KEY (user, app) REFERENCES applications ON UPDATE CASCADE ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX domains_of_app ON domains (user, app);

  CREATE TABLE snapshots (
    user TEXT NOT NULL,
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (user, app, id),
    FOREIGN KEY (user, app) REFERENCES applications ON UPDATE CASCADE ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE states (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- readers ask for what is after a number: none is used twice
    user TEXT NOT NULL,
    app TEXT NOT NULL,
    doc TEXT NOT NULL, -- its last event
    UNIQUE (user, app),
    FOREIGN KEY (user, app) REFERENCES applications ON UPDATE CASCADE ON DELETE CASCADE
  ) STRICT;
  `,
  `
  CREATE TABLE app_settings (
    user TEXT NOT NULL,
    app TEXT NOT NULL,  -- the platform's name
    name TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON
    PRIMARY KEY (user, app, name)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE app_states (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- readers ask for what is after a number: none is used twice
    user TEXT NOT NULL,
    app TEXT, -- null: it is about no application
    about TEXT NOT NULL DEFAULT '', -- the subject of an incident; '': whether the application crashes
    doc TEXT NOT NULL,     -- its last event
    FOREIGN KEY (user, app) REFERENCES applications ON UPDATE CASCADE ON DELETE CASCADE
  ) STRICT;
  INSERT INTO sqlite_sequence (name, seq) SELECT 'app_states', seq FROM sqlite_sequence WHERE name = 'states';
  INSERT INTO app_states (seq, user, app, about, doc) SELECT seq, user, app, '', doc FROM states;
  DROP TABLE states;
  ALTER TABLE app_states RENAME TO states;
  CREATE INDEX states_of_app ON states (user, app, about);
  `,
  `
  ALTER TABLE domains ADD COLUMN redirect TEXT; -- the domain of the application to which it redirects; null: it is served
  `,
];
