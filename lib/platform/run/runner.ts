import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import { HttpError, messageOf } from '../http-error.ts';
import type { PlatformEvent } from '../settings.ts';
import { appHosts } from '../store/host-names.ts';
import type { AppName } from '../store/names.ts';
import { type AppLog, appLog } from './app-log.ts';
import { type Crashes, crashes } from './crashes.ts';
import type { Ending, RunningRelease } from './launch.ts';
import { type AppProxy, appProxy } from './proxy.ts';
import { launchRelease, type ReleaseParts } from './release.ts';

/** The state of an application; `restarting` is the pause after a crash, `crashed` the end of such pauses. */
export type RunState = 'stopped' | 'starting' | 'running' | 'restarting' | 'crashed';

/** Runs one application: at most one release serves, and a new one takes over only when it answers. */
export interface Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  state(): RunState;
  /**
   * Starts the snapshot and moves the traffic to it, unless it serves already. When that fails, throws an HttpError and
   * keeps the old one.
   */
  start(snapshot: string): Promise<void>;
  /** Starts the active snapshot again, with the current variables, and moves the traffic to it. */
  restart(): Promise<void>;
  /** Ends the application; a start in progress is cancelled. */
  stop(): Promise<void>;
  /** Starts the active snapshot, with retries as after a crash: for applications that ran when the platform ended. */
  resume(): Promise<void>;
  /** Ends the processes. The application is started again when the platform is. */
  close(): Promise<void>;
}

/** Dependencies of a runner. */
export interface RunnerParts extends ReleaseParts {
  /** The domain of the applications besides `localhost`. */
  readonly domain: string | undefined;
  /** Room on a full disk, so that an application can be stopped. */
  readonly reserve: Pick<DiskReserve, 'use'>;
  /** Called when a release serves. */
  readonly onServing: (app: AppName, snapshot: string) => Promise<void>;
  /** Called when the release before it has ended. */
  readonly onRetired: (app: AppName, snapshot: string) => Promise<void>;
}

/** Returns the runner of an application; nothing runs yet. */
export function runner(parts: RunnerParts, app: AppName): Runner {
  return new AppRunner(parts, app);
}

class AppRunner implements Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  readonly #crashes: Crashes;
  /** Those for too much memory, which is used up slowly. */
  readonly #overruns: Crashes;
  readonly #withLock = keyedMutex();
  readonly #background = new Set<Promise<void>>();
  #state: RunState = 'stopped';
  #running: RunningRelease | undefined;
  #starting: AbortController | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly app: AppName,
  ) {
    this.log = appLog(parts.folders.ofApp(app).log, parts.limits.logBytes);
    this.proxy = appProxy(() => unavailable(app, this.#state), appHosts(app, parts.domain));
    const { limits } = parts;
    this.#crashes = crashes(limits);
    this.#overruns = crashes({ ...limits, crashLimit: limits.overrunLimit, crashWindowMs: limits.overrunWindowMs });
  }

  state(): RunState {
    return this.#state;
  }

  start(snapshot: string): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#running?.snapshot !== snapshot) await this.#startAfresh(snapshot);
    });
  }

  restart(): Promise<void> {
    return this.#exclusively(async () => {
      const { active } = await this.parts.apps.get(this.app);
      if (active === null) throw new HttpError(409, 'Nothing has been started yet; start a snapshot first.');
      await this.#startAfresh(active);
    });
  }

  stop(): Promise<void> {
    this.#starting?.abort();
    return this.#exclusively(async () => {
      const { apps, reserve, limits } = this.parts;
      this.#state = 'stopped';
      // It ends before that is written: it may be what fills the disk.
      await this.#end(limits.drainMs);
      await reserve.use(() => apps.change(this.app, { wanted: 'stopped' }));
      this.log.note('stopped');
    });
  }

  resume(): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#running) return;
      this.#state = 'restarting';
      await this.#revive();
    });
  }

  close(): Promise<void> {
    this.#closing = true;
    this.#starting?.abort();
    return this.#exclusively(async () => {
      // Without connections nothing is left to drain.
      await this.proxy.close();
      await this.#end(0);
    });
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    return this.#withLock('', work);
  }

  /** A start on request: earlier crashes do not count, and a pending retry is dropped. */
  async #startAfresh(snapshot: string): Promise<void> {
    this.#crashes.reset();
    this.#overruns.reset();
    await this.#swap(snapshot);
  }

  /** Starts a release and moves the traffic to it. When the start fails, the old release keeps the traffic. */
  async #swap(snapshot: string): Promise<void> {
    if (this.#closing) throw new HttpError(503, 'The platform is stopping.');
    const began = performance.now();
    const before = this.#state;
    const starting = new AbortController();
    this.#starting = starting;
    if (!this.#running) this.#state = 'starting';
    try {
      const { app, log, proxy } = this;
      const next = await launchRelease(this.parts, { app, id: snapshot, log, proxy, signal: starting.signal });
      await this.parts.apps.change(this.app, { active: snapshot, wanted: 'running' });
      this.#serve(next);
      this.#report('app.serving', { snapshot, milliseconds: performance.now() - began });
    } catch (error) {
      // The old release may have crashed in the meantime; its state must not be overwritten then.
      if (this.#state === 'starting') this.#state = before;
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  #serve(next: RunningRelease): void {
    const { limits, onServing, onRetired } = this.parts;
    const old = this.#running;
    // Before the end of the new release is looked for: it may have ended already, and is then started again.
    clearTimeout(this.#retry);
    this.#running = next;
    this.#state = 'running';
    const drained = this.proxy.pointTo(next.address);
    next.ended.then((ending) => this.#crashedWhileServing(next, ending));
    this.log.note(`${next.snapshot} serves`);
    const retire = async () => {
      await drained(limits.drainMs);
      await old?.end(limits.graceMs);
      await onRetired(this.app, next.snapshot);
    };
    this.#later(onServing(this.app, next.snapshot));
    this.#later(retire());
  }

  /** The serving process has ended without a request to do so. */
  #crashedWhileServing(which: RunningRelease, { how, tooLarge }: Ending): void {
    if (this.#running !== which || this.#closing) return;
    this.#running = undefined;
    this.proxy.pointTo(undefined);
    this.#crashed(which.snapshot, { how: `${which.snapshot} ${how}`, tooLarge });
  }

  #crashed(snapshot: string, { how, tooLarge }: Ending): void {
    const decision = (tooLarge ? this.#overruns : this.#crashes).record(performance.now());
    const givenUp = 'givenUp' in decision;
    this.#state = givenUp ? 'crashed' : 'restarting';
    const next = givenUp
      ? 'it crashed too often and is not started again'
      : `next start in ${decision.retryAfterMs} ms`;
    this.log.note(`${how}; ${next}`);
    this.#report(givenUp ? 'app.crashed' : 'app.restarting', { snapshot, detail: how, isCause: tooLarge });
    if (givenUp) return;
    this.#retry = setTimeout(() => {
      this.#exclusively(() => this.#revive()).catch((error: unknown) => this.#failed(error));
    }, decision.retryAfterMs);
  }

  async #revive(): Promise<void> {
    if (this.#running || this.#closing || this.#state !== 'restarting') return;
    const { active, wanted } = await this.parts.apps.get(this.app);
    if (active === null || wanted === 'stopped') return;
    // A failed start counts as another crash, so that the retries of a release that cannot start end.
    await this.#swap(active).catch((error: unknown) => {
      if (!this.#closing && this.#state === 'restarting')
        this.#crashed(active, { how: messageOf(error), tooLarge: false });
    });
  }

  /** Takes the traffic away and ends the release; no process of the application is left afterwards. */
  async #end(drainMs: number): Promise<void> {
    clearTimeout(this.#retry);
    const old = this.#running;
    this.#running = undefined;
    await this.proxy.pointTo(undefined)(drainMs);
    await old?.end(this.parts.limits.graceMs);
    await Promise.all(this.#background);
    await this.log.flush();
  }

  /** Runs work in the background; only `stop` and `close` wait for it. */
  #later(work: Promise<void>): void {
    const done = work.catch((error: unknown) => this.#failed(error)).finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  #failed(error: unknown): void {
    this.#report('app.error', { detail: messageOf(error) });
  }

  #report(type: string, more: Omit<PlatformEvent, 'type' | 'user' | 'app'>): void {
    this.parts.log({ type, user: this.app.user, app: this.app.app, ...more });
  }
}

/** The sentence that clients get while no release serves. */
function unavailable(app: AppName, state: RunState): string {
  const why = {
    stopped: 'is stopped',
    starting: 'is starting',
    running: 'is starting',
    restarting: 'has crashed and is being started again',
    crashed: 'has crashed too often; see its log',
  };
  return `${app.app} ${why[state]}.`;
}
