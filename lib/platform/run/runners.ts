import { labelsIn } from '../../http/app-domain.ts';
import { messageOf } from '../http-error.ts';
import { labelsOf } from '../store/host-names.ts';
import { type AppName, appKey } from '../store/names.ts';
import { type Runner, type RunnerParts, runner } from './runner.ts';

/** The runners of all applications. */
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
  /** Starts the applications that were running, three at a time; failures go to their logs. */
  resume(): Promise<void>;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** Returns the runners; nothing runs yet. */
export function runners(parts: RunnerParts): Runners {
  const known = new Map<string, Runner>();
  const served = new Map<string, Runner>();
  let closed = false;
  const of = (app: AppName) => {
    const key = appKey(app);
    const made = known.get(key) ?? runner(parts, { user: app.user, app: app.app });
    known.set(key, made);
    return made;
  };
  /** One that has not been asked for since the start, such as a stopped one, is looked up in the data folder. */
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
      const labels = labelsIn(host, parts.domain);
      return labels === undefined ? undefined : (served.get(labels) ?? lookUp(labels));
    },
    remove: async (app) => {
      const gone = known.get(appKey(app));
      known.delete(appKey(app));
      served.delete(labelsOf(app));
      await gone?.close();
    },
    resume: async () => {
      const names = (await parts.apps.list()).values();
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

async function resumeOne(parts: RunnerParts, of: (app: AppName) => Runner, app: AppName): Promise<void> {
  try {
    const stored = await parts.apps.find(app);
    if (stored?.wanted === 'running') await of(app).resume();
  } catch (error) {
    parts.log({ type: 'app.error', ...app, detail: messageOf(error) });
  }
}
