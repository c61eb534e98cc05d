import { isDeepStrictEqual } from 'node:util';
import type { ProcessList, RunInput, RunStart, Scale } from '../../../functions/core/ports/processes.ts';
import { jobSubject } from '../../builder/start/cron.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import { HttpError, isAway } from '../../http/http-error.ts';
import {
  type AppId,
  type AppSpec,
  appKey,
  type LogQuery,
  processSubject,
  type ReleaseSpec,
  type RunnerCalls,
} from '../../runner/calls.ts';
import { changedScale, countOf, numbersOf, typeNames } from '../../runner/processes/scale.ts';
import type { Apps, StoredApp } from '../store/apps.ts';
import { type DescribeParts, describeApp, readRelease } from './describe.ts';
import { handover } from './handover.ts';

export interface Started {
  /** Whether it has a process that answers requests: `web`. */
  readonly answers: boolean;
  /** What is lost with the release before, in a sentence. */
  readonly lost?: string | undefined;
}

/** An application with its release that is live. */
interface LiveRelease extends Pick<StoredApp, 'scale'> {
  readonly release: ReleaseSpec;
  readonly spec: AppSpec;
}

export interface OperationParts extends DescribeParts {
  readonly calls: RunnerCalls;
  readonly apps: Apps;
  readonly reserve: Pick<DiskReserve, 'use'>;
  readonly starts: Starts;
  /** Called when a release was started again. */
  readonly onStarted: (app: AppId) => void;
  /** Called with what an application consists of, when it was started or scaled. */
  readonly onMade: (app: AppId, parts: AppParts) => void;
}

/** What an application consists of: the types of its processes with their numbers, and its jobs. */
export interface AppParts {
  readonly release: Pick<ReleaseSpec, 'types' | 'cron'>;
  readonly scale: Scale;
}

/** Starts that are not recorded yet. */
export class Starts {
  readonly #all = new Map<string, Promise<unknown>>();

  add<T>(app: AppId, snapshot: string, work: () => Promise<T>): Promise<T> {
    const key = `${appKey(app)} ${snapshot}`;
    const done = work().finally(() => {
      if (this.#all.get(key) === done) this.#all.delete(key);
    });
    this.#all.set(key, done);
    return done;
  }

  async recorded(app: AppId, snapshot: string): Promise<void> {
    await this.#all.get(`${appKey(app)} ${snapshot}`)?.catch(() => undefined);
  }
}

/**
 * Returns the operations of an application, which change the runner and the records together. `onRequest` is called when a
 * start or an end is requested.
 */
export function operationsOf(parts: OperationParts, app: AppId, onRequest: () => void) {
  const { calls, apps, reserve } = parts;
  /** Returns the live release with its application. Throws 409 before the first start, and as `readRelease` does. */
  const live = async (): Promise<LiveRelease> => {
    const stored = await apps.get(app);
    if (stored.active === null) throw new HttpError(409, `${app.app} has not been started yet.`);
    const release = await readRelease(parts, app, stored.active);
    return { release, scale: stored.scale, spec: await describeApp(parts, app, release) };
  };
  const isRunning = async (fields: Partial<StoredApp>) => {
    const { active, next, wanted, port } = await apps.get(app);
    const changed = { active, next, port, ...fields, wanted: 'running' as const };
    const isOther = changed.active !== active || changed.next !== next || changed.port !== port;
    const isNew = isOther || wanted !== 'running';
    if (isNew) await apps.change(app, changed);
  };
  /** The next start of the platform does not try a failed release again. On a full disk this uses the reserve. */
  const notNext = () => reserve.use(() => apps.change(app, { next: null })).catch(() => undefined);
  const start = async (snapshot: string) => {
    const stored = await apps.get(app);
    const release = await readRelease(parts, app, snapshot);
    const before = stored.active === null ? null : await readRelease(parts, app, stored.active).catch(() => null);
    const { kept, keptFiles, lost } = await handover(parts, app, { release, before });
    onRequest();
    // Written before the requests move, so that after a kill no older release answers again.
    await apps.change(app, { next: snapshot });
    const spec = await describeApp(parts, app, before);
    const act = { is: 'start', release: { ...release, kept }, keptFiles } as const;
    const port = await calls.apply(spec, act).catch(async (error: unknown) => {
      // A runner that has not said that it failed may have started it.
      if (!isAway(error)) await notNext();
      throw error;
    });
    await isRunning({ active: snapshot, port, next: null }).catch(async (error: unknown) => {
      await notNext();
      // What serves is what the next start of the platform finds.
      await (before && stored.wanted === 'running'
        ? calls.apply(spec, { is: 'start', release: before })
        : calls.stop(app));
      throw error;
    });
    parts.onMade(app, { release, scale: stored.scale });
    return { lost, answers: answers(stored, release) };
  };
  return {
    /** Starts the snapshot unless it serves already. When that fails, throws an HttpError and keeps the old one. */
    start: (snapshot: string): Promise<Started> => parts.starts.add(app, snapshot, () => start(snapshot)),
    /** Starts the active snapshot again, with the current variables. */
    restart: async (entry?: number): Promise<Started> => {
      const { release, scale, spec } = await live();
      onRequest();
      await calls.apply(spec, { is: 'restart', entry });
      await isRunning({});
      parts.onStarted(app);
      parts.onMade(app, { release, scale });
      return { answers: answers({ scale }, release) };
    },
    /**
     * Ends the application; a start in progress is cancelled. That of a deploy is none of these: what people ask for of one
     * application is done one after the other (`lib/engine/dispatcher.ts`).
     */
    stop: async () => {
      onRequest();
      // The application ends before that is written: it may be what fills the disk.
      await calls.stop(app);
      await reserve.use(() => apps.change(app, { wanted: 'stopped', next: null }));
    },
    processes: async (): Promise<ProcessList> => {
      const { active, scale } = await apps.get(app);
      if (active === null) return { processes: [], cron: [], scale };
      const release = await readRelease(parts, app, active).catch(() => null);
      return calls.processes(await describeApp(parts, app, release));
    },
    /** Changes how many processes run of some types, also for later releases. Throws 400 for what cannot be. */
    scale: async (change: Readonly<Record<string, unknown>>) => {
      const { release, scale: before } = await live();
      const { scale } = await apps.change(app, ({ scale }) => ({
        scale: changedScale(app.app, { types: release.types, scale }, change),
      }));
      await calls
        .apply(await describeApp(parts, app, release), { is: 'scale', scale })
        .catch(async (error: unknown) => {
          // It is as before; what a killed runner has not done, the next one does.
          if (!isAway(error))
            await apps.change(app, ({ scale: now }) => (isDeepStrictEqual(now, scale) ? { scale: before } : {}));
          throw error;
        });
      parts.onMade(app, { release, scale });
    },
    // After a failed first start, the runner has no description of the application.
    logs: async (query: LogQuery, signal: AbortSignal) =>
      calls.logs(await describeApp(parts, app, null), query, signal),
    /** Starts a command in the release that is live; before the first start in the newest that was built. */
    run: async (run: RunStart) => {
      if ((await apps.get(app)).active !== null) return calls.run((await live()).spec, run);
      // An application that needs a table to answer gets it by a command before its first start.
      const built = (await parts.snapshots.list(app)).find(({ state }) => state === 'ready');
      if (!built) throw new HttpError(409, `${app.app} has no release yet: nothing of it has been built.`);
      return calls.run(await describeApp(parts, app, null), run, await readRelease(parts, app, built.id));
    },
    said: (id: string, signal: AbortSignal) => calls.said(app, id, signal),
    input: (id: string, input: RunInput) => calls.input(app, id, input),
  };
}

function answers({ scale }: Pick<StoredApp, 'scale'>, { types }: Pick<ReleaseSpec, 'types'>): boolean {
  return types.web !== undefined && countOf('web', scale) > 0;
}

/** Returns what incidents of an application may be about. */
export function subjectsOf({ release: { types, cron }, scale }: AppParts): ReadonlySet<string> {
  const names = typeNames(types).flatMap((type) => numbersOf(type, scale).map((number) => `${type}.${number}`));
  // The application itself is the process `web`.
  return new Set([...cron.map(jobSubject), ...['web', ...names].map(processSubject)]);
}
