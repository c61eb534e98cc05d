import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { VariableChanges } from '../../../functions/core/ports/applications.ts';
import { HttpError } from '../../http/http-error.ts';
import { type AppId, appKey, type Variables } from '../../runner/calls.ts';

/** Stored variables; they are kept across deploys and passed to the application at its next start. */
export interface VariableStore {
  read(app: AppId): Promise<Variables>;
  /**
   * Sets these variables and keeps the others; `null` removes one (https://www.rfc-editor.org/rfc/rfc7396). A function
   * decides by those that there are, which nobody changes meanwhile. 400 for a name of the platform's own, 413 for too much.
   */
  merge(app: AppId, changes: VariableChanges | ((known: Variables) => VariableChanges)): Promise<Variables>;
  /** Removes a variable; 404 when there is none. */
  remove(app: AppId, key: string): Promise<void>;
}

const MAX_BYTES = 64 * 1024;

/** @param changed is called after each change */
export function variableStore(tables: Tables, changed: (app: AppId) => Promise<void>): VariableStore {
  // So that what `changed` tells last is the last change.
  const withLock = keyedMutex();
  const read = ({ user, app }: AppId): Variables => {
    const sql = 'SELECT variables FROM applications WHERE user = ? AND app = ?';
    return JSON.parse(tables.get<{ variables: string }>(sql, user, app)?.variables ?? '{}');
  };
  const change = (app: AppId, next: (known: Variables) => Variables) =>
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
        return Object.fromEntries(
          Object.entries(merged).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
        );
      }),
    remove: async (app, key) => {
      await change(app, (known) => {
        if (!Object.hasOwn(known, key)) throw new HttpError(404, `There is no variable ${key.slice(0, 80)}.`);
        return Object.fromEntries(Object.entries(known).filter(([name]) => name !== key));
      });
    },
  };
}

function checked(variables: Variables): Variables {
  const names = Object.keys(variables);
  const reserved = names.find((name) => name === 'PORT' || name === 'HOST');
  if (reserved !== undefined) throw new HttpError(400, `${reserved} is set by the platform and cannot be stored.`);
  const bytes = Buffer.byteLength([...names, ...Object.values(variables)].join(''));
  if (bytes > MAX_BYTES) throw new HttpError(413, `The variables are larger than ${MAX_BYTES} bytes together.`);
  return variables;
}
