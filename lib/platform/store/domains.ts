import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { HttpError } from '../../http/http-error.ts';
import type { Apps } from './apps.ts';
import { type AppName, appKey } from './names.ts';

/** Domains of applications besides the names that the platform gives them. A name belongs to one application. */
export interface Domains {
  /** Reads what is stored; before the first call of the others. */
  load(): Promise<void>;
  /** Returns the application that a host name belongs to. */
  owner(host: string): AppName | undefined;
  /** Gives a name to the application; false when it has it. 409 when another one has it, or it has too many. */
  add(app: AppName, name: string): Promise<boolean>;
  /** Takes a name from the application; 404 when it does not have it. */
  remove(app: AppName, name: string): Promise<void>;
  /** Frees the names of an application that is removed. */
  forget(app: AppName): void;
}

/** Each name is a certificate, of which an authority gives a domain some dozens a week. */
const MAX_NAMES = 50;

/**
 * Returns the domains, which are stored with their applications.
 *
 * @param changed receives all names after each change, and the application that it concerns
 */
export function domains(apps: Apps, changed: (names: readonly string[], app?: AppName) => unknown): Domains {
  const owners = new Map<string, AppName>();
  const withLock = keyedMutex();
  const tell = (app?: AppName) => changed([...owners.keys()], app);
  const add = async (app: AppName, name: string): Promise<boolean> => {
    await apps.get(app);
    const owner = owners.get(name);
    if (owner) return refuseOther(owner, app, name);
    await apps.change(app, ({ domains: known }) => {
      if (known.length < MAX_NAMES) return { domains: [...known, name] };
      throw new HttpError(409, `${app.app} has ${MAX_NAMES} domains already.`);
    });
    owners.set(name, { user: app.user, app: app.app });
    await tell(app);
    return true;
  };
  const remove = async (app: AppName, name: string): Promise<void> => {
    await apps.change(app, ({ domains: known }) => {
      if (known.includes(name)) return { domains: known.filter((one) => one !== name) };
      throw new HttpError(404, `${app.app} does not have the domain ${name}.`);
    });
    owners.delete(name);
    await tell(app);
  };
  return {
    load: async () => {
      for (const app of await apps.list()) {
        // An unreadable record is reported at the start.
        const stored = await apps.find(app).catch(() => undefined);
        for (const name of stored?.domains ?? []) owners.set(name, app);
      }
      tell();
    },
    owner: (host) => owners.get(host),
    add: (app, name) => withLock(name, () => add(app, name)),
    remove: (app, name) => withLock(name, () => remove(app, name)),
    forget: (app) => {
      for (const [name, owner] of owners) if (appKey(owner) === appKey(app)) owners.delete(name);
      tell();
    },
  };
}

/** False when the application is the owner itself. Another user's application is not named. */
function refuseOther(owner: AppName, app: AppName, name: string): false {
  if (appKey(owner) === appKey(app)) return false;
  const whose = owner.user === app.user ? owner.app : 'an application of another user';
  throw new HttpError(409, `${name} belongs to ${whose}: remove it there first.`);
}
