import type { IncomingMessage } from 'node:http';
import { messageOf } from '../http-error.ts';
import { type AppName, appHost, appKey } from '../store/names.ts';
import { type Runner, type RunnerParts, runner } from './runner.ts';

/** The runners of all applications. */
export interface Runners {
  /** Returns the application's runner, which is created at the first call. */
  of(app: AppName): Runner;
  /** Returns the runner for the request's Host header (`<app>.<user>.localhost`). */
  forHost(request: IncomingMessage): Runner | undefined;
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
  const hosts = new Map<string, string>();
  let closed = false;
  const of = (app: AppName) => {
    const key = appKey(app);
    const made = known.get(key) ?? runner(parts, { user: app.user, app: app.app });
    known.set(key, made);
    // When two names have the same host name, the first keeps it.
    if (!hosts.has(appHost(app))) hosts.set(appHost(app), key);
    return made;
  };
  return {
    of,
    forHost: (request) => {
      const host = request.headers.host?.toLowerCase().replace(/:\d+$/, '');
      const key = host === undefined ? undefined : hosts.get(host);
      return key === undefined ? undefined : known.get(key);
    },
    remove: async (app) => {
      const gone = known.get(appKey(app));
      known.delete(appKey(app));
      if (hosts.get(appHost(app)) === appKey(app)) hosts.delete(appHost(app));
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
