import * as v from 'valibot';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { keyedBy, readState, writeState } from '../../files/state-file.ts';
import { HttpError } from '../../http/http-error.ts';
import type { Variables } from '../../runner/calls.ts';
import type { Folders } from './folders.ts';
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

const schema = keyedBy(v.string(), v.string());
const MAX_BYTES = 64 * 1024;

/**
 * Returns the store, with one file per application, readable by the owner only.
 *
 * @param changed is called after each change
 */
export function variableStore(folders: Folders, changed: (app: AppName) => Promise<void>): VariableStore {
  const withLock = keyedMutex();
  const read = async (app: AppName) => (await readState(folders.ofApp(app).variables, schema)) ?? {};
  const write = async (app: AppName, variables: Variables) => {
    await writeState(folders.ofApp(app).variables, variables, { durable: true, secret: true });
    await changed(app);
    return variables;
  };
  return {
    read,
    merge: (app, changes) =>
      withLock(appKey(app), async () => {
        const known = await read(app);
        const merged = { ...known, ...(typeof changes === 'function' ? changes(known) : changes) };
        const kept = Object.entries(merged).filter(([, value]) => value !== null);
        return write(app, checked(Object.fromEntries(kept)));
      }),
    remove: (app, key) =>
      withLock(appKey(app), async () => {
        const variables = await read(app);
        if (!Object.hasOwn(variables, key)) throw new HttpError(404, `There is no variable ${key.slice(0, 80)}.`);
        await write(app, Object.fromEntries(Object.entries(variables).filter(([name]) => name !== key)));
      }),
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
