import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { HttpError } from '../../http/http-error.ts';
import { type AppId, appKey } from '../../runner/calls.ts';
import type { Apps } from './apps.ts';

/** Domains of applications besides the names that the platform gives them. A name belongs to one application. */
export interface Domains {
  /** Returns the application that a host name belongs to. */
  owner(host: string): AppId | undefined;
  /**
   * Gives a name to the application; false when it has it, whose `redirect` changes then. 409 when another one has it, it has
   * too many, or the name cannot redirect.
   *
   * @param redirect the domain of the application to which it redirects; absent: it is served
   */
  add(app: AppId, name: string, redirect?: string): Promise<boolean>;
  /** Takes a name from the application; 404 when it does not have it, 409 when others redirect to it. */
  remove(app: AppId, name: string): Promise<void>;
  /** Reads all names, as after each change: at the start, and when an application was renamed or removed. */
  read(): void;
}

interface Row extends AppId {
  readonly name: string;
  readonly redirect: string | null;
}

/** Each name is a certificate, of which an authority gives a domain some dozens a week. */
const MAX_NAMES = 50;

/** @param changed receives the application that a change concerns */
export function domains(tables: Tables, apps: Pick<Apps, 'get'>, changed: (app: AppId) => unknown): Domains {
  /** For requests, which read no table. */
  let owners: ReadonlyMap<string, AppId> = new Map();
  const read = () => {
    const rows = tables.all<Row>('SELECT name, user, app FROM domains ORDER BY id');
    owners = new Map(rows.map(({ name, user, app }) => [name, { user, app }]));
  };
  const changedNow = (app: AppId) => {
    read();
    return changed(app);
  };
  const find = (name: string) => tables.get<Row>('SELECT name, user, app, redirect FROM domains WHERE name = ?', name);
  const redirectingTo = (name: string) =>
    tables.all<Row>('SELECT name FROM domains WHERE redirect = ? ORDER BY id', name).map((row) => row.name);
  const add = ({ user, app }: AppId, name: string, redirect: string | null) => {
    const known = find(name);
    if (known) refuseOther(known, { user, app }, name);
    if (redirect !== null) refuseTarget({ user, app }, { name, redirect, target: find(redirect) }, redirectingTo(name));
    const sql = 'SELECT count(*) AS count FROM domains WHERE user = ? AND app = ?';
    const { count } = tables.get<{ count: number }>(sql, user, app) ?? { count: 0 };
    if (!known && count >= MAX_NAMES) throw new HttpError(409, `${app} has ${MAX_NAMES} domains already.`);
    const changes = tables.run(
      `INSERT INTO domains (name, user, app, redirect) VALUES (?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET redirect = excluded.redirect WHERE redirect IS NOT excluded.redirect`,
      ...[name, user, app, redirect],
    );
    return { isNew: !known, isChanged: changes > 0 };
  };
  const remove = ({ user, app }: AppId, name: string) => {
    const removed = tables.run('DELETE FROM domains WHERE name = ? AND user = ? AND app = ?', name, user, app);
    if (removed === 0) throw new HttpError(404, `${app} does not have the domain ${name}.`);
    const others = redirectingTo(name);
    if (others.length > 0)
      throw new HttpError(409, `${redirects(others, name)}: remove that first, or redirect it elsewhere.`);
  };
  return {
    owner: (host) => owners.get(host),
    add: async (app, name, redirect) => {
      await apps.get(app);
      const { isNew, isChanged } = await tables.write(() => add(app, name, redirect ?? null));
      if (isChanged) await changedNow(app);
      return isNew;
    },
    remove: async (app, name) => {
      await tables.write(() => remove(app, name));
      await changedNow(app);
    },
    read,
  };
}

/** Refuses a name of another application. That of another user is not named. */
function refuseOther(owner: AppId, app: AppId, name: string): void {
  if (appKey(owner) === appKey(app)) return;
  const whose = owner.user === app.user ? owner.app : 'an application of another user';
  throw new HttpError(409, `${name} belongs to ${whose}: remove it there first.`);
}

interface Redirect {
  readonly name: string;
  readonly redirect: string;
  readonly target: Row | undefined;
}

/** Refuses a redirect that does not lead to a domain of the application by one step. */
function refuseTarget(app: AppId, { name, redirect, target }: Redirect, others: readonly string[]): void {
  if (redirect === name) throw new HttpError(409, `${name} cannot redirect to itself.`);
  if (!target || appKey(target) !== appKey(app)) {
    const how = `add it first with "hooks domains add ${redirect} --app ${app.app}"`;
    throw new HttpError(409, `${redirect} is not a domain of ${app.app}, to which alone ${name} may redirect: ${how}.`);
  }
  if (target.redirect !== null) {
    throw new HttpError(409, `${redirects([redirect], target.redirect)} itself: let ${name} redirect there.`);
  }
  if (others.length > 0)
    throw new HttpError(409, `${redirects(others, name)}, which therefore cannot redirect itself.`);
}

function redirects(names: readonly string[], target: string): string {
  return `${names.join(', ')} ${names.length === 1 ? 'redirects' : 'redirect'} to ${target}`;
}
