import { hostName, labelIn, labelsIn } from '../http/app-domain.ts';
import { messageOf } from '../platform/http-error.ts';
import type { Apps } from '../platform/store/apps.ts';
import type { Domains } from '../platform/store/domains.ts';
import { labelsOf } from '../platform/store/host-names.ts';
import { type AppName, appKey } from '../platform/store/names.ts';
import type { Users } from '../platform/store/users.ts';
import { Runner, type RunnerParts } from './runner.ts';
import { wakeTurns } from './sleep.ts';

export interface Runners {
  /** Returns the application's runner, which is created at the first call. */
  of(app: AppName): Runner;
  /**
   * Returns the runner of the application that a Host header names; null when it names one that does not exist,
   * undefined when it names none.
   */
  forHost(host: string | undefined): Promise<Runner | null | undefined>;
  /** Ends the application's processes and forgets it. */
  remove(app: AppName): Promise<void>;
  /** Starts an application again that was running, under its new name; a failure goes to its log. */
  begin(app: AppName): Promise<void>;
  /** Starts a user's applications that were running, or those of all, three at a time; failures go to their logs. */
  resume(user?: string): Promise<void>;
  close(): Promise<void>;
}

interface RunnersParts extends Omit<RunnerParts, 'wakeTurns'> {
  readonly domains: Pick<Domains, 'owner'>;
  /** Builds the release of a snapshot again when it is gone. */
  readonly rebuild: (app: AppName, snapshot: string) => Promise<void>;
  readonly apps: Apps;
  readonly users: Pick<Users, 'list' | 'only'>;
  /** Names of the service itself below the domain of the applications. */
  readonly ownNames: readonly string[];
}

export function runners(parts: RunnersParts): Runners {
  const known = new Map<string, Runner>();
  const served = new Map<string, Runner>();
  const ofEach = { ...parts, wakeTurns: wakeTurns() };
  let closed = false;
  const of = (app: AppName) => {
    const key = appKey(app);
    const made = known.get(key) ?? new Runner(ofEach, { user: app.user, app: app.app });
    known.set(key, made);
    return made;
  };
  /** Looks up in the data folder an application that was not asked for since the start, such as a stopped one. */
  const lookUp = async (labels: string) => {
    const app = (await parts.apps.list()).find((one) => labelsOf(one) === labels);
    const stored = app && (await parts.apps.find(app));
    if (app === undefined || stored === undefined) return null;
    const found = of(app);
    if (stored.active !== null) served.set(labels, found);
    // Variables may be set before the first deploy; nothing is at the address until then.
    else if (found.state() === 'stopped') return null;
    return found;
  };
  return {
    of,
    forHost: async (host) => {
      const labels = await labelsFor(host, parts);
      return typeof labels === 'string' ? (served.get(labels) ?? lookUp(labels)) : labels;
    },
    remove: async (app) => {
      const gone = known.get(appKey(app));
      known.delete(appKey(app));
      served.delete(labelsOf(app));
      await gone?.close();
    },
    begin: (app) => resumeOne(parts, of, app),
    resume: async (user) => {
      const names = (await sleepingFirst(parts, user)).values();
      const resumeNext = async () => {
        for (const app of names) {
          if (closed) return;
          await resumeOne(parts, of, app);
        }
      };
      await Promise.all([resumeNext(), resumeNext(), resumeNext()]);
    },
    close: async () => {
      closed = true;
      await Promise.all([...known.values()].map((one) => one.close()));
    },
  };
}

/** Returns the labels of the application that a host names; null when it can name none, undefined when it names none. */
async function labelsFor(
  host: string | undefined,
  { domain, domains, users, ownNames }: RunnersParts,
): Promise<string | null | undefined> {
  const name = hostName(host);
  if (ownNames.includes(name)) return undefined;
  const owner = domains.owner(name);
  if (owner) return labelsOf(owner);
  const app = labelIn(name, domain);
  if (app === undefined) return labelsIn(name, domain);
  const user = await users.only();
  return user === undefined ? null : labelsOf({ user, app });
}

/** Returns sleeping applications first: they are ready at once, and need not wait for the starts of others. */
async function sleepingFirst({ apps, users }: RunnersParts, user?: string): Promise<readonly AppName[]> {
  const present = user === undefined ? await users.list() : [user];
  const all = (await Promise.all(present.map(apps.list))).flat();
  // An unreadable record is reported when its application is resumed.
  const stored = await Promise.all(all.map((app) => apps.find(app).catch(() => undefined)));
  const maySleep = all.filter((_, at) => stored[at]?.scale.web === 'auto');
  return [...maySleep, ...all.filter((app) => !maySleep.includes(app))];
}

async function resumeOne(parts: RunnersParts, of: (app: AppName) => Runner, app: AppName): Promise<void> {
  const failed = (error: unknown) => parts.log({ type: 'app.error', ...app, detail: messageOf(error) });
  try {
    const stored = await parts.apps.find(app);
    if (stored?.wanted !== 'running') return;
    const rebuilt = stored.active === null ? Promise.resolve() : parts.rebuild(app, stored.active);
    // The start says what is missing then.
    await of(app).resume(rebuilt.catch(failed));
  } catch (error) {
    failed(error);
  }
}
