import type { SentProcesses } from '../../../functions/api/shapes/processes.ts';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { HttpError, messageOf } from '../http-error.ts';
import type { PlatformEvent } from '../settings.ts';
import { appHosts } from '../store/host-names.ts';
import type { AppName } from '../store/names.ts';
import { type AppLog, appLog } from './app-log.ts';
import { type Endings, endings, whatFollows } from './crashes.ts';
import { startRelease } from './launch.ts';
import { Live } from './live.ts';
import type { Ending } from './processes/app-process.ts';
import { Formation } from './processes/formation.ts';
import { processList } from './processes/process-list.ts';
import { changedScale, countOf } from './processes/scale.ts';
import { type AppProxy, appProxy } from './proxy.ts';
import { openProxy, type Release, readRelease } from './release.ts';
import { type RunState, unavailable } from './run-state.ts';
import type { Runner, RunnerParts } from './runner.ts';
import { Sleep } from './sleep.ts';

/** The only one of an application: its starts and ends wait for each other. */
export class AppRunner implements Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  readonly #endings: Endings;
  readonly #live: Live;
  readonly #sleep: Sleep;
  readonly #withLock = keyedMutex();
  readonly #exclusively = <T>(work: () => Promise<T>): Promise<T> => this.#withLock('', work);
  #state: RunState = 'stopped';
  #since: Date | null = null;
  #restarts = 0;
  #starting: AbortController | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly app: AppName,
  ) {
    const { folders, limits, domain } = parts;
    this.log = appLog(folders.ofApp(app).log, limits.logBytes);
    this.#endings = endings(limits);
    this.#sleep = new Sleep({
      idleMs: limits.idleMs,
      fallAsleep: () => this.#inTurn(() => this.#fallAsleep()),
      wake: () => this.#inTurn(() => this.#revive('asleep')),
      turns: parts.wakeTurns,
    });
    const hosts = appHosts(app, domain);
    this.proxy = appProxy({ unavailable: () => unavailable(app, this.#state), hosts, sleep: this.#sleep });
    this.#live = new Live({
      limits,
      proxy: this.proxy,
      onServing: (snapshot) => parts.onServing(app, snapshot),
      onRetired: (snapshot) => parts.onRetired(app, snapshot),
      onCrash: ({ snapshot }, { how, tooLarge }) => {
        if (!this.#closing) this.#crashed(snapshot, { how: `${snapshot} ${how}`, tooLarge });
      },
      onFailure: (error) => this.#failed(error),
    });
  }

  state(): RunState {
    const { running, formation } = this.#live;
    if (running && !running.address && formation?.hasCrashed()) return 'crashed';
    // What runs on has to be restarted for new variables.
    return this.#state === 'asleep' && this.#live.busy ? 'running' : this.#state;
  }

  start(snapshot: string): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#live.running?.snapshot !== snapshot) await this.#startAfresh(snapshot);
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
      this.#become('stopped');
      // It ends before that is written: it may be what fills the disk.
      await this.#end(limits.drainMs);
      await reserve.use(() => apps.change(this.app, { wanted: 'stopped' }));
      this.log.note('stopped');
    });
  }

  async resume(built: Promise<void>): Promise<void> {
    if (this.#state === 'stopped') this.#become('starting');
    await built;
    await this.#exclusively(async () => {
      if (this.#state === 'starting') this.#become('restarting');
      await this.#revive('restarting', true);
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

  async processes(): Promise<SentProcesses> {
    const { active, scale } = await this.parts.apps.get(this.app);
    const release = active === null ? undefined : await this.#releaseOf(active).catch(() => undefined);
    const web = { ...this.#live.running, state: this.#state, since: this.#since, restarts: this.#restarts };
    return processList({ web, formation: this.#live.formation, release, cron: this.#live.cron, scale });
  }

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
    this.#endings.reset();
    await this.#swap(snapshot);
    this.#restarts = 0;
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
    const starting = new AbortController();
    this.#starting = starting;
    if (!this.#live.running) this.#become('starting');
    try {
      const { signal } = starting;
      const release = await readRelease(this.parts, this.app, snapshot, this.log);
      await openProxy(this.parts, this.app, this.proxy);
      const stored = await this.parts.apps.get(this.app);
      const { scale } = stored;
      const form = () => new Formation(release, scale, (type, more) => this.#report(type, { snapshot, ...more }));
      const rests = mayRest && scale.web === 'auto' && release.types.web !== undefined;
      const next = rests ? undefined : await startRelease(this.parts, this.app, { release, stored, form, signal });
      // Before its end is looked for: it may have ended already, and is then started again.
      clearTimeout(this.#retry);
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
  #crashed(snapshot: string, { how, tooLarge }: Pick<Ending, 'how' | 'tooLarge'>, wasAsleep = false): void {
    const decision = this.#endings.record({ tooLarge });
    const givenUp = 'givenUp' in decision;
    this.#become(givenUp ? 'crashed' : 'restarting');
    this.log.note(`${how}; ${whatFollows(decision, wasAsleep)}`);
    this.#report(givenUp ? 'app.crashed' : 'app.restarting', { snapshot, detail: how, isCause: tooLarge });
    if (givenUp) return;
    this.#retry = setTimeout(() => {
      if (!wasAsleep) this.#restarts += 1;
      void this.#inTurn(() => this.#revive('restarting', wasAsleep));
    }, decision.retryAfterMs);
  }

  /** Starts it after a crash or a start of the platform, or at a request while it is asleep. */
  async #revive(from: 'restarting' | 'asleep', mayRest = false): Promise<void> {
    if (this.#live.running || this.#closing || this.#state !== from) return;
    const { active, wanted } = await this.parts.apps.get(this.app);
    if (active === null || wanted === 'stopped') return;
    // A failed start counts as another crash, so that the retries of a release that cannot start end.
    await this.#swap(active, this.#live.busy, mayRest).catch((error: unknown) => {
      if (this.#closing || this.#state !== from) return;
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
    clearTimeout(this.#retry);
    this.#sleep.allow(false);
    await this.#live.end(drainMs);
    await this.log.flush();
  }

  #become(state: RunState): void {
    this.#state = state;
    this.#since = new Date();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#exclusively(work).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#report('app.error', { detail: messageOf(error) });
  }

  #report(type: string, more: Omit<PlatformEvent, 'type' | 'user' | 'app'>): void {
    this.parts.log({ type, user: this.app.user, app: this.app.app, ...more });
  }
}
