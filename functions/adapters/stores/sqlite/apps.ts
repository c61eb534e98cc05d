import { type AppOwner, isSameOwner, parentOf } from '../../../core/entry/app-owner.ts';
import { appName } from '../../../core/entry/package-name.ts';
import type {
  AppFact,
  AppFacts,
  AppOwners,
  AppSettings,
  OwnedApp,
  OwnerClaim,
  RepositoryApps,
  TrackedApp,
  TrackedApps,
} from '../../../core/ports/facts.ts';
import type { AppRef } from '../../../core/ports/platform.ts';
import type { Connection } from './connection.ts';
import type { StoreContext } from './writer.ts';

/** Returns the facts about applications. */
export function sqliteAppFacts({ connection }: StoreContext): AppFacts {
  return {
    named: async (user, app) => {
      const sql = 'SELECT name, active, entries FROM apps WHERE user = ? AND entries > 0 ORDER BY active IS NULL, name';
      const found = connection.all<AppFact>(sql, user).find(({ name }) => appName(name) === app);
      return found ? { name: found.name, active: found.active, entries: found.entries } : null;
    },
    active: async (user, name) => {
      const sql = 'SELECT active FROM apps WHERE user = ? AND name = ?';
      return connection.get<Pick<AppFact, 'active'>>(sql, user, name)?.active ?? null;
    },
    overruledUntil: async (user, app) => overruledUntil(connection, { user, app }),
    claimedOrder: async (user, app) => platformApp(connection, { user, app })?.claimed ?? 0,
  };
}

/** Returns the applications whose branches are compared with their tips. */
export function sqliteTrackedApps({ connection, writer }: StoreContext): TrackedApps {
  return {
    toCompare: async (now, limit) => {
      const sql = 'SELECT user, app FROM platform_apps WHERE due_at <= ? ORDER BY due_at LIMIT ?';
      return connection.all<AppRef>(sql, now, limit).map(({ user, app }) => ({ user, app }));
    },
    tracked: async ({ user, app }) => trackedIn({ user, app }, platformApp(connection, { user, app })),
    previews: async (user, parent) => {
      const all = connection.all<PreviewRow>(`${PREVIEWS} AND user = ?`, user).flatMap(previewIn);
      return all.filter(({ owner }) => isSameOwner(parentOf(owner), parent));
    },
    allPreviews: async (limit) => connection.all<PreviewRow>(`${PREVIEWS} LIMIT ?`, limit).flatMap(previewIn),
    compared: ({ user, app }, { at, dueAt }) =>
      writer.run(() => {
        const sql = `UPDATE platform_apps SET due_at = ?, compared_at = coalesce(?, compared_at)
           WHERE user = ? AND app = ? AND due_at IS NOT NULL`;
        connection.run(sql, dueAt, at ?? null, user, app);
      }),
  };
}

/** Returns the settings of applications, a row each. */
export function sqliteAppSettings({ connection, writer }: StoreContext): AppSettings {
  const remove = 'DELETE FROM app_settings WHERE user = ? AND app = ?';
  return {
    read: async ({ user, app }) => {
      const sql = 'SELECT name, value FROM app_settings WHERE user = ? AND app = ?';
      const rows = connection.all<{ name: string; value: string }>(sql, user, app);
      return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
    },
    change: ({ user, app }, changes) =>
      writer.run(() => {
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) connection.run(`${remove} AND name = ?`, user, app, name);
          else {
            const sql = 'INSERT OR REPLACE INTO app_settings (user, app, name, value) VALUES (?, ?, ?, ?)';
            connection.run(sql, user, app, name, JSON.stringify(value));
          }
        }
      }),
    move: ({ user, app }, to) =>
      writer.run(() => {
        const any = connection.get('SELECT 1 FROM app_settings WHERE user = ? AND app = ?', user, app);
        if (!any || app === to) return;
        connection.run(remove, user, to);
        connection.run('UPDATE app_settings SET app = ? WHERE user = ? AND app = ?', to, user, app);
      }),
    remove: ({ user, app }) =>
      writer.run(() => {
        connection.run(remove, user, app);
      }),
  };
}

/** Returns when the next application is due to be compared with its branch; null when none is. */
export function nextCompare(connection: Connection): number | null {
  const sql = 'SELECT min(due_at) AS at FROM platform_apps WHERE due_at IS NOT NULL';
  return connection.get<{ at: number | null }>(sql)?.at ?? null;
}

export function overruledUntil(connection: Connection, app: AppRef): number {
  return platformApp(connection, app)?.overruled ?? 0;
}

/** Makes an entry the next one of its application. */
export function joinApp(connection: Connection, row: number, user: string, app: string): void {
  const sql = `INSERT INTO apps (user, name, entries) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET entries = entries + 1 RETURNING entries`;
  const joined = connection.get<{ entries: number }>(sql, user, app);
  connection.run('UPDATE entries SET app = ?, app_number = ? WHERE id = ?', app, joined?.entries ?? 0, row);
}

/** Stores the entry that an application runs; null: none. */
export function setActive(connection: Connection, { user, app }: AppRef, number: number | null): void {
  connection.run('UPDATE apps SET active = ? WHERE user = ? AND name = ?', number, user, app);
}

/** Returns the facts about the owners of applications. */
export function sqliteOwners({ connection, writer, clock }: StoreContext): AppOwners {
  return {
    claimApp: (user, app, order) =>
      writer.run(() => {
        const sql = `INSERT INTO platform_apps (user, app, claimed) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET claimed = excluded.claimed WHERE claimed <= excluded.claimed`;
        return connection.run(sql, user, app, order) > 0;
      }),
    appOwner: async (user, app) => appOwner(connection, { user, app }),
    owned: async (user, owner) =>
      ownedBy(connection, user, owner).filter(({ owner: claim }) => isSameOwner(claim, owner)),
    ownApp: (user, app, { branch, ...owner }) =>
      writer.run(() => {
        const before = appOwner(connection, { user, app });
        if (before && !isSameOwner(before, owner)) return before;
        if (!before || owner.id !== undefined) setOwner(connection, { user, app }, owner);
        const followsAnother = before?.branch !== undefined && !owner.pullRequest;
        if (branch !== undefined && !followsAnother) followBranch(connection, { user, app }, [branch, clock.now()]);
        return before;
      }),
    transferApp: (user, app, owner) => writer.run(() => setOwner(connection, { user, app }, owner)),
    renameApp: (user, app, to) =>
      writer.run(() => {
        const sql = `INSERT INTO platform_apps (user, app, owner, branch, due_at, compared_at)
         SELECT user, ?, owner, branch, due_at, compared_at FROM platform_apps
           WHERE user = ? AND app = ? AND owner IS NOT NULL
         ON CONFLICT DO UPDATE SET owner = excluded.owner, branch = excluded.branch, due_at = excluded.due_at,
           compared_at = excluded.compared_at WHERE owner IS NULL`;
        if (connection.run(sql, to, user, app) > 0) freeApp(connection, { user, app });
      }),
    followBranch: (user, app, branch) =>
      writer.run(() => followBranch(connection, { user, app }, [branch, clock.now()])),
    freeApp: (user, app) => writer.run(() => freeApp(connection, { user, app })),
  };
}

/** Returns what finds the application of a repository. */
export function sqliteRepositoryApps({ connection }: StoreContext): RepositoryApps {
  return {
    ofRepository: async (user, repository) => {
      const isOf = ({ owner: { host, owner, name, pullRequest } }: OwnedApp) =>
        pullRequest === undefined && isSameOwner({ host, owner, name }, repository);
      const owned = ownedBy(connection, user, repository).filter(isOf);
      return owned.find(({ app }) => app === appName(repository.name)) ?? owned[0] ?? null;
    },
  };
}

/** Returns the applications of repositories with this id or this name. */
function ownedBy(connection: Connection, user: string, { id, name }: AppOwner): readonly OwnedApp[] {
  const sql = `SELECT app, ${COLUMNS} FROM platform_apps WHERE user = ?
     AND (json_extract(owner, '$.id') = ? OR lower(json_extract(owner, '$.name')) = lower(?))`;
  return connection.all<PreviewRow>(sql, user, id ?? null, name).flatMap((row) => {
    const owner = claimIn(row);
    return owner ? [{ app: row.app, owner }] : [];
  });
}

function appOwner(connection: Connection, app: AppRef): OwnerClaim | null {
  const row = platformApp(connection, app);
  return row ? claimIn(row) : null;
}

function claimIn({ owner, branch }: Pick<PlatformApp, 'owner' | 'branch'>): OwnerClaim | null {
  if (owner === null) return null;
  return { ...(JSON.parse(owner) as AppOwner), ...(branch !== null && { branch }) };
}

function setOwner(connection: Connection, { user, app }: AppRef, owner: AppOwner): void {
  const sql = `INSERT INTO platform_apps (user, app, owner) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET owner = excluded.owner`;
  connection.run(sql, user, app, JSON.stringify(owner));
}

/** When it is due does not change. */
function followBranch(
  connection: Connection,
  { user, app }: AppRef,
  [branch, now]: readonly [string, number],
): boolean {
  const sql = `UPDATE platform_apps SET branch = ?, due_at = coalesce(due_at, ?)
     WHERE user = ? AND app = ? AND owner IS NOT NULL`;
  return connection.run(sql, branch, now, user, app) > 0;
}

/** What claimed it stays: older deploys stay older. */
function freeApp(connection: Connection, { user, app }: AppRef): void {
  const sql = `UPDATE platform_apps SET owner = NULL, branch = NULL, due_at = NULL, compared_at = 0
     WHERE user = ? AND app = ?`;
  connection.run(sql, user, app);
}

interface PlatformApp {
  readonly claimed: number;
  readonly overruled: number;
  readonly owner: string | null;
  readonly branch: string | null;
  readonly compared_at: number;
}

const COLUMNS = 'claimed, overruled, owner, branch, compared_at';

function platformApp(connection: Connection, { user, app }: AppRef): PlatformApp | undefined {
  return connection.get<PlatformApp>(`SELECT ${COLUMNS} FROM platform_apps WHERE user = ? AND app = ?`, user, app);
}

type PreviewRow = PlatformApp & AppRef;

// In JSON no value can be taken for this name.
const PREVIEWS = `SELECT user, app, ${COLUMNS} FROM platform_apps WHERE owner LIKE '%"pullRequest":%'`;

function previewIn({ user, app, ...found }: PreviewRow): readonly TrackedApp[] {
  const preview = trackedIn({ user, app }, found);
  return preview?.owner.pullRequest ? [preview] : [];
}

function trackedIn({ user, app }: AppRef, found: PlatformApp | undefined): TrackedApp | null {
  if (!found || found.owner === null || found.branch === null) return null;
  const owner: AppOwner = JSON.parse(found.owner);
  return { user, app, owner, branch: found.branch, comparedAt: found.compared_at };
}
