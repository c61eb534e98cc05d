import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { HttpError } from '../../http/http-error.ts';
import type { Variables } from '../../runner/calls.ts';
import { type AppName, appKey, checkedVariable } from './names.ts';

type Changes = Readonly<Record<string, unknown>>;

/** Stored variables; they are kept across deploys and passed to the application at its next start. */
export interface VariableStore {
  read(app: AppName): Promise<Variables>;
  /**
   * Sets these variables and keeps the others; `null` removes one (https://www.rfc-editor.org/rfc/rfc7396). A function
   * decides by those that there are, which nobody changes meanwhile. 400 for an invalid name or value, 413 for too much.
   */
  merge(app: AppName, changes: Changes | ((known: Variables) => Changes)): Promise<Variables>;
  /** Removes a variable; 404 when there is none. */
  remove(app: AppName, key: string): Promise<void>;
}

const MAX_BYTES = 64 * 1024;

/** @param changed is called after each change */
export function variableStore(tables: Tables, changed: (app: AppName) => Promise<void>): VariableStore {
  // Of what `changed` tells, the last is the last change.
  const withLock = keyedMutex();
  const read = ({ user, app }: AppName): Variables => {
    const sql = 'SELECT variables FROM applications WHERE user = ? AND app = ?';
    return JSON.parse(tables.get<{ variables: string }>(sql, user, app)?.variables ?? '{}');
  };
  const change = (app: AppName, next: (known: Variables) => Changes) =>
    withLock(appKey(app), async () => {
      const variables = await tables.write(() => {
        const sql = 'UPDATE applications SET variables = ? WHERE user = ? AND app = ?';
        const made = checked(next(read(app)));
        if (tables.run(sql, JSON.stringify(made), app.user, app.app) > 0) return made;
        throw new HttpError(404, `${app.user} has no application ${app.app}.`);
      });
      await changed(app);
      return variables;
    });
  return {
    read: async (app) => read(app),
    merge: (app, changes) =>
      change(app, (known) => {
        const merged = { ...known, ...(typeof changes === 'function' ? changes(known) : changes) };
        return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
      }),
    remove: async (app, key) => {
      await change(app, (known) => {
        if (!Object.hasOwn(known, key)) throw new HttpError(404, `There is no variable ${key.slice(0, 80)}.`);
        return Object.fromEntries(Object.entries(known).filter(([name]) => name !== key));
      });
    },
  };
}

function checked(variables: Readonly<Record<string, unknown>>): Variables {
  let bytes = 0;
  const entries = Object.entries(variables).map(([name, value]) => {
    checkedVariable(name);
    if (typeof value !== 'string') throw new HttpError(400, `The value of ${name} is not a string.`);
    if (value.includes('\0')) throw new HttpError(400, `The value of ${name} holds a NUL character.`);
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    return [name, value] as const;
  });
  if (bytes > MAX_BYTES) throw new HttpError(413, `The variables are larger than ${MAX_BYTES} bytes together.`);
  return Object.fromEntries(entries);
}
