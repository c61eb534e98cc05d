import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { HttpError } from '../../http/http-error.ts';
import { type AppId, appKey } from '../../runner/calls.ts';
import type { Apps } from './apps.ts';

/** Domains of applications besides the names that the platform gives them. A name belongs to one application. */
export interface Domains {
  /** Returns the application that a host name belongs to. */
  owner(host: string): AppId | undefined;
  /** Gives a name to the application; false when it has it. 409 when another one has it, or it has too many. */
  add(app: AppId, name: string): Promise<boolean>;
  /** Takes a name from the application; 404 when it does not have it. */
  remove(app: AppId, name: string): Promise<void>;
  /** Reads and announces all names, as after each change: at the start, and when an application was renamed or removed. */
  announce(): void;
}

interface Row extends AppId {
  readonly name: string;
}

/** Each name is a certificate, of which an authority gives a domain some dozens a week. */
const MAX_NAMES = 50;

/** @param changed receives all names after each change, and the application that it concerns */
export function domains(
  tables: Tables,
  apps: Pick<Apps, 'get'>,
  changed: (names: readonly string[], app?: AppId) => unknown,
): Domains {
  /** For requests, which read no table. */
  let owners: ReadonlyMap<string, AppId> = new Map();
  const announce = (app?: AppId) => {
    const rows = tables.all<Row>('SELECT name, user, app FROM domains ORDER BY id');
    owners = new Map(rows.map(({ name, user, app }) => [name, { user, app }]));
    return changed([...owners.keys()], app);
  };
  const add = ({ user, app }: AppId, name: string): boolean => {
    const owner = tables.get<AppId>('SELECT user, app FROM domains WHERE name = ?', name);
    if (owner) return refuseOther(owner, { user, app }, name);
    const sql = 'SELECT count(*) AS count FROM domains WHERE user = ? AND app = ?';
    const { count } = tables.get<{ count: number }>(sql, user, app) ?? { count: 0 };
    if (count >= MAX_NAMES) throw new HttpError(409, `${app} has ${MAX_NAMES} domains already.`);
    return tables.run('INSERT INTO domains (name, user, app) VALUES (?, ?, ?)', name, user, app) > 0;
  };
  return {
    owner: (host) => owners.get(host),
    add: async (app, name) => {
      await apps.get(app);
      const isNew = await tables.write(() => add(app, name));
      if (isNew) await announce(app);
      return isNew;
    },
    remove: async ({ user, app }, name) => {
      const sql = 'DELETE FROM domains WHERE name = ? AND user = ? AND app = ?';
      const removed = await tables.write(() => tables.run(sql, name, user, app));
      if (removed === 0) throw new HttpError(404, `${app} does not have the domain ${name}.`);
      await announce({ user, app });
    },
    announce: () => void announce(),
  };
}

/** False when the application is the owner itself. Another user's application is not named. */
function refuseOther(owner: AppId, app: AppId, name: string): false {
  if (appKey(owner) === appKey(app)) return false;
  const whose = owner.user === app.user ? owner.app : 'an application of another user';
  throw new HttpError(409, `${name} belongs to ${whose}: remove it there first.`);
}
