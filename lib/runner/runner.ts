import type { Process, SentProcesses } from '../../functions/api/shapes/processes.ts';
import { keyedMutex } from '../../functions/core/concurrency.ts';
import type { DiskReserve } from '../files/disk-reserve.ts';
import { HttpError, messageOf } from '../platform/http-error.ts';
import type { PlatformEvent } from '../platform/settings.ts';
import { appHosts } from '../platform/store/host-names.ts';
import type { AppName } from '../platform/store/names.ts';
import { type AppLog, appLog } from './app-log.ts';
import { type Crash, Restarts } from './crashes.ts';
import { startRelease } from './launch.ts';
import { Live, type LiveCalls } from './live.ts';
import { Formation } from './processes/formation.ts';
import { processList } from './processes/process-list.ts';
import { changedScale, countOf } from './processes/scale.ts';
import { type AppProxy, appProxy } from './proxy.ts';
import { openProxy, type Release, type ReleaseParts, readRelease } from './release.ts';
import { Sleep, type WakeTurns } from './sleep.ts';

export interface RunnerParts extends ReleaseParts, LiveCalls {
  /** The domain of the applications besides `localhost`. */
  readonly domain: string | undefined;
  readonly reserve: Pick<DiskReserve, 'use'>;
  readonly wakeTurns: WakeTurns;
}

/** Runs one application: at most one release serves, and a new one takes over only when it answers. */
export class Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  readonly #restarts: Restarts;
  readonly #live: Live;
  readonly #sleep: Sleep;
  readonly #withLock = keyedMutex();
  readonly #exclusively = <T>(work: () => Promise<T>): Promise<T> => this.#withLock('', work);
  readonly #failed = (error: unknown): void => this.#report('app.error', { detail: messageOf(error) });
  #state: Process['state'] = 'stopped';
  #since: Date | null = null;
  #starting: AbortController | undefined;
  #closing = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly app: AppName,
  ) {
    const { folders, limits } = parts;
    this.log = appLog(folders.ofApp(app).log, limits.logBytes);
    this.#restarts = new Restarts(limits, this.log);
    this.#sleep = new Sleep({
      idleMs: limits.idleMs,
      fallAsleep: () => this.#inTurn(() => this.#fallAsleep()),
      wake: () => this.#inTurn(() => this.#revive('asleep')),
      turns: parts.wakeTurns,
    });
    const hosts = appHosts(app, parts.domain);
    this.proxy = appProxy({ app: app.app, state: () => this.#state, hosts, sleep: this.#sleep });
    this.#live = new Live({
      ...parts,
      app,
      proxy: this.proxy,
      onCrash: ({ snapshot }, { how, tooLarge }) => this.#crashed(snapshot, { how: `${snapshot} ${how}`, tooLarge }),
      onFailure: this.#failed,
    });
  }

  state(): Process['state'] {
    const { running, formation } = this.#live;
    if (running && !running.address && formation?.hasCrashed()) return 'crashed';
    // What runs on has to be restarted for new variables.
    return this.#state === 'asleep' && this.#live.busy ? 'running' : this.#state;
  }

  /** Starts the snapshot unless it serves already. When that fails, throws an HttpError and keeps the old one. */
  start(snapshot: string): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#live.running?.snapshot !== snapshot) await this.#startAfresh(snapshot);
    });
  }

  /** Starts the active snapshot again, with the current variables. */
  restart(): Promise<void> {
    return this.#exclusively(async () => {
      const { active } = await this.parts.apps.get(this.app);
      if (active === null) throw new HttpError(409, 'Nothing has been started yet; start a snapshot first.');
      await this.#startAfresh(active);
    });
  }

  /** Ends the application; a start in progress is cancelled. */
  stop(): Promise<void> {
    this.#starting?.abort();
    return this.#exclusively(async () => {
      const { apps, reserve, limits } = this.parts;
      this.#become('stopped');
      // It ends before that is written: it may be what fills the disk.
      await this.#end(limits.drainMs);
      await reserve.use(() => apps.change(this.app, { wanted: 'stopped' }));
      this.log.note('stopped');
    });
  }

  /**
   * Starts the active snapshot once it is built, with retries as after a crash, because it ran when the platform ended.
   * One that is started or stopped meanwhile stays so.
   */
  async resume(built: Promise<void>): Promise<void> {
    if (this.#state === 'stopped') this.#become('starting');
    await built;
    await this.#exclusively(async () => {
      if (this.#state === 'starting') this.#become('restarting');
      await this.#revive('restarting', true);
    });
  }

  /** Ends the processes. The application is started again when the platform is. */
  close(): Promise<void> {
    this.#closing = true;
    this.#starting?.abort();
    return this.#exclusively(async () => {
      // Without connections nothing is left to drain.
      await this.proxy.close();
      await this.#end(0);
    });
  }

  async processes(): Promise<SentProcesses> {
    const { active, scale } = await this.parts.apps.get(this.app);
    const release = active === null ? undefined : await this.#releaseOf(active).catch(() => undefined);
    const web = { ...this.#live.running, state: this.#state, since: this.#since, restarts: this.#restarts.count };
    return processList({ web, formation: this.#live.formation, release, cron: this.#live.cron, scale });
  }

  /** Changes how many processes run of some types, also for later releases. Throws 400 for what cannot be. */
  scale(change: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#exclusively(async () => {
      const { apps, limits } = this.parts;
      const { active, scale } = await apps.get(this.app);
      if (active === null) throw new HttpError(409, `${this.app.app} has not been started yet.`);
      const { types } = await this.#releaseOf(active);
      const changed = changedScale(this.app.app, { types, scale }, change);
      await apps.change(this.app, { scale: changed });
      if (this.#state === 'stopped') return;
      const isAuto = changed.web === 'auto';
      const isAsleep = this.#state === 'asleep';
      if ((isAsleep && !isAuto) || countOf('web', changed) !== countOf('web', scale)) return this.#startAfresh(active);
      // What has not run on was not restarted for new variables.
      if (isAsleep && !this.#live.busy) return this.#swap(active, undefined, true);
      this.#sleep.allow(isAuto);
      const had = this.#live.formation?.hasCrashed();
      await this.#live.formation?.scale(changed, limits.graceMs);
      if (had && !this.#live.formation?.hasCrashed()) this.#report('app.recovered', { snapshot: active });
    });
  }

  async #releaseOf(snapshot: string): Promise<Release> {
    return this.#live.formation?.release ?? readRelease(this.parts, this.app, snapshot, this.log);
  }

  /** A start on request: earlier crashes do not count, and a pending retry is dropped. */
  async #startAfresh(snapshot: string): Promise<void> {
    this.#restarts.reset();
    await this.#swap(snapshot);
    this.#restarts.count = 0;
  }

  /**
   * Starts a release and moves the traffic to it. When the start fails, the old release keeps the traffic. A formation
   * that is `kept` goes on; else that of the release begins when it is live, or before, when there is no `web`. With
   * `mayRest` a `web` that is `auto` waits for its first request.
   */
  async #swap(snapshot: string, kept?: Formation, mayRest = false): Promise<void> {
    if (this.#closing) throw new HttpError(503, 'The platform is stopping.');
    const began = performance.now();
    const before = this.#state;
    this.#starting = new AbortController();
    const { signal } = this.#starting;
    if (!this.#live.running) this.#become('starting');
    try {
      const release = await readRelease(this.parts, this.app, snapshot, this.log);
      await openProxy(this.parts, this.app, this.proxy);
      const stored = await this.parts.apps.get(this.app);
      const { scale } = stored;
      const form = () => new Formation(release, scale, (type, more) => this.#report(type, { snapshot, ...more }));
      const rests = mayRest && scale.web === 'auto' && release.types.web !== undefined;
      const next = rests ? undefined : await startRelease(this.parts, this.app, { release, stored, form, signal });
      // Before its end is looked for: it may have ended already, and is then started again.
      this.#restarts.cancel();
      this.#become(rests ? 'asleep' : 'running');
      this.#live.use(next, next?.formation ?? kept ?? form());
      this.#sleep.allow(scale.web === 'auto');
      if (!next) return;
      this.log.note(`${snapshot} ${next.address ? 'serves' : 'runs'}`);
      this.#report('app.serving', { snapshot, milliseconds: performance.now() - began });
      this.#live.formation?.reportCrashes();
    } catch (error) {
      // The old release may have crashed in the meantime; its state must not be overwritten then.
      if (this.#state === 'starting') this.#become(before);
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  /** After the pause it is started again; one that was asleep sleeps on until the next request. */
  #crashed(snapshot: string, { how, tooLarge }: Crash, wasAsleep = false): void {
    if (this.#closing) return;
    const again = () => void this.#inTurn(() => this.#revive('restarting', wasAsleep));
    const state = this.#restarts.after({ how, tooLarge, awaitsRequest: wasAsleep }, again);
    this.#become(state);
    this.#report(`app.${state}`, { snapshot, detail: how, isCause: tooLarge });
  }

  /** Starts it after a crash or a start of the platform, or at a request while it is asleep. */
  async #revive(from: 'restarting' | 'asleep', mayRest = false): Promise<void> {
    if (this.#live.running || this.#closing || this.#state !== from) return;
    const { active, wanted } = await this.parts.apps.get(this.app);
    if (active === null || wanted === 'stopped') return;
    // A failed start counts as another crash, so that the retries of a release that cannot start end.
    await this.#swap(active, this.#live.busy, mayRest).catch((error: unknown) => {
      if (this.#state !== from) return;
      this.#crashed(active, { how: messageOf(error), tooLarge: false }, from === 'asleep');
    });
  }

  async #fallAsleep(): Promise<void> {
    if (!this.#live.running?.address || this.#closing || !this.#sleep.isUnused()) return;
    this.#become('asleep');
    this.log.note('sleeps until the next request');
    this.#live.endWeb();
  }

  async #end(drainMs: number): Promise<void> {
    this.#restarts.cancel();
    this.#sleep.allow(false);
    await this.#live.end(drainMs);
    await this.log.flush();
  }

  #become(state: Process['state']): void {
    this.#state = state;
    this.#since = new Date();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#exclusively(work).catch(this.#failed);
  }

  #report(type: string, more: Omit<PlatformEvent, 'type' | 'user' | 'app'>): void {
    this.parts.log({ type, user: this.app.user, app: this.app.app, ...more });
  }
}
