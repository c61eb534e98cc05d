import type { SentProcesses } from '../../../functions/api/shapes/processes.ts';
import { background, keyedMutex } from '../../../functions/core/concurrency.ts';
import { HttpError, messageOf } from '../http-error.ts';
import type { PlatformEvent } from '../settings.ts';
import { appHosts } from '../store/host-names.ts';
import type { AppName } from '../store/names.ts';
import { type AppLog, appLog } from './app-log.ts';
import { type Endings, endings, whatFollows } from './crashes.ts';
import { CronTable } from './jobs/cron.ts';
import { launch, type RunningRelease, startWithoutWeb } from './launch.ts';
import type { Ending } from './processes/app-process.ts';
import { countOf, Formation } from './processes/formation.ts';
import { changedScale, processList } from './processes/process-list.ts';
import { type AppProxy, appProxy } from './proxy.ts';
import { openProxy, type Release, readRelease } from './release.ts';
import { type RunState, unavailable } from './run-state.ts';
import type { Runner, RunnerParts } from './runner.ts';

/** The only one of an application: its starts and ends wait for each other. */
export class AppRunner implements Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  readonly #endings: Endings;
  readonly #withLock = keyedMutex();
  readonly #exclusively = <T>(work: () => Promise<T>): Promise<T> => this.#withLock('', work);
  /** Only `stop` and `close` wait for it. */
  readonly #background = background((error) => this.#failed(error));
  #state: RunState = 'stopped';
  #since: Date | null = null;
  #restarts = 0;
  #running: RunningRelease | undefined;
  #formation: Formation | undefined;
  readonly #cron = new CronTable();
  #starting: AbortController | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly app: AppName,
  ) {
    this.log = appLog(parts.folders.ofApp(app).log, parts.limits.logBytes);
    this.proxy = appProxy(() => unavailable(app, this.#state), appHosts(app, parts.domain));
    this.#endings = endings(parts.limits);
  }

  state(): RunState {
    const isWithoutWeb = this.#running !== undefined && this.#running.address === undefined;
    return isWithoutWeb && this.#formation?.hasCrashed() ? 'crashed' : this.#state;
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

  async processes(): Promise<SentProcesses> {
    const { active, scale } = await this.parts.apps.get(this.app);
    const release = active === null ? undefined : await this.#releaseOf(active).catch(() => undefined);
    const web = { ...this.#running, state: this.#state, since: this.#since, restarts: this.#restarts };
    return processList({ web, formation: this.#formation, release, cron: this.#cron, scale });
  }

  scale(change: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#exclusively(async () => {
      const { apps, limits } = this.parts;
      const { active, scale } = await apps.get(this.app);
      if (active === null) throw new HttpError(409, `${this.app.app} has not been started yet.`);
      const { types } = await this.#releaseOf(active);
      const changed = changedScale(this.app, { types, scale }, change);
      await apps.change(this.app, { scale: changed });
      if (this.#state === 'stopped') return;
      if (countOf('web', changed) !== countOf('web', scale)) return this.#startAfresh(active);
      const had = this.#formation?.hasCrashed();
      await this.#formation?.scale(changed, limits.graceMs);
      if (had && !this.#formation?.hasCrashed()) this.#report('app.recovered', { snapshot: active });
    });
  }

  async #releaseOf(snapshot: string): Promise<Release> {
    return this.#formation?.release ?? this.#read(snapshot);
  }

  #read(snapshot: string): Promise<Release> {
    return readRelease(this.parts, this.app, snapshot, this.log);
  }

  /** A start on request: earlier crashes do not count, and a pending retry is dropped. */
  async #startAfresh(snapshot: string): Promise<void> {
    this.#endings.reset();
    await this.#swap(snapshot, undefined);
    this.#restarts = 0;
  }

  /**
   * Starts a release and moves the traffic to it. When the start fails, the old release keeps the traffic. A formation
   * that is `kept` goes on; else that of the release begins when it is live, or before, when there is no `web`.
   */
  async #swap(snapshot: string, kept: Formation | undefined): Promise<void> {
    if (this.#closing) throw new HttpError(503, 'The platform is stopping.');
    const began = performance.now();
    const before = this.#state;
    const starting = new AbortController();
    this.#starting = starting;
    if (!this.#running) this.#become('starting');
    try {
      const { app, parts } = this;
      const release = await this.#read(snapshot);
      await openProxy(parts, app, this.proxy);
      const { scale } = await parts.apps.get(app);
      const form = () => new Formation(release, scale, (type, more) => this.#report(type, { snapshot, ...more }));
      const { web } = release.types;
      const isWeb = web !== undefined && countOf('web', scale) > 0;
      const next = isWeb ? await launch(release, web, starting.signal) : await startWithoutWeb(form(), starting.signal);
      await parts.apps.change(app, { active: snapshot, wanted: 'running' }).catch(async (error: unknown) => {
        await next.end(0);
        throw error;
      });
      this.#serve(next, next.formation ?? kept ?? form());
      this.#report('app.serving', { snapshot, milliseconds: performance.now() - began });
      this.#formation?.reportCrashes();
    } catch (error) {
      // The old release may have crashed in the meantime; its state must not be overwritten then.
      if (this.#state === 'starting') this.#become(before);
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  #serve(next: RunningRelease, formation: Formation): void {
    const { limits, onServing, onRetired } = this.parts;
    const [old, before] = [this.#running, this.#formation];
    // Before the end of the new release is looked for: it may have ended already, and is then started again.
    clearTimeout(this.#retry);
    this.#running = next;
    this.#formation = formation;
    if (formation !== before) this.#cron.use(formation.release);
    this.#become('running');
    const drained = this.proxy.pointTo(next.address);
    next.ended.then((ending) => this.#crashedWhileServing(next, ending));
    this.log.note(`${next.snapshot} ${next.address ? 'serves' : 'runs'}`);
    const retire = async () => {
      await Promise.all([
        drained(limits.drainMs).then(() => old?.end(limits.graceMs)),
        before === formation || before?.end(limits.graceMs),
      ]);
      await onRetired(this.app, next.snapshot);
    };
    this.#background.add(onServing(this.app, next.snapshot));
    this.#background.add(retire());
  }

  /** The serving process has ended without a request to do so. */
  #crashedWhileServing(which: RunningRelease, { how, tooLarge }: Ending): void {
    if (this.#running !== which || this.#closing) return;
    this.#running = undefined;
    this.proxy.pointTo(undefined);
    this.#crashed(which.snapshot, { how: `${which.snapshot} ${how}`, tooLarge });
  }

  #crashed(snapshot: string, { how, tooLarge }: Pick<Ending, 'how' | 'tooLarge'>): void {
    const decision = this.#endings.record({ tooLarge });
    const givenUp = 'givenUp' in decision;
    this.#become(givenUp ? 'crashed' : 'restarting');
    this.log.note(`${how}; ${whatFollows(decision)}`);
    this.#report(givenUp ? 'app.crashed' : 'app.restarting', { snapshot, detail: how, isCause: tooLarge });
    if (givenUp) return;
    this.#retry = setTimeout(() => {
      this.#restarts += 1;
      this.#exclusively(() => this.#revive()).catch((error: unknown) => this.#failed(error));
    }, decision.retryAfterMs);
  }

  async #revive(): Promise<void> {
    if (this.#running || this.#closing || this.#state !== 'restarting') return;
    const { active, wanted } = await this.parts.apps.get(this.app);
    if (active === null || wanted === 'stopped') return;
    // A failed start counts as another crash, so that the retries of a release that cannot start end.
    await this.#swap(active, this.#formation).catch((error: unknown) => {
      if (!this.#closing && this.#state === 'restarting')
        this.#crashed(active, { how: messageOf(error), tooLarge: false });
    });
  }

  /** Takes the traffic away and ends the release; no process of the application is left afterwards. */
  async #end(drainMs: number): Promise<void> {
    clearTimeout(this.#retry);
    const [old, formation, { graceMs }] = [this.#running, this.#formation, this.parts.limits];
    this.#running = undefined;
    this.#formation = undefined;
    const drained = this.proxy.pointTo(undefined)(drainMs);
    await Promise.all([drained.then(() => old?.end(graceMs)), formation?.end(graceMs), this.#cron.end(graceMs)]);
    await this.#background.ended();
    await this.log.flush();
  }

  #become(state: RunState): void {
    this.#state = state;
    this.#since = new Date();
  }

  #failed(error: unknown): void {
    this.#report('app.error', { detail: messageOf(error) });
  }

  #report(type: string, more: Omit<PlatformEvent, 'type' | 'user' | 'app'>): void {
    this.parts.log({ type, user: this.app.user, app: this.app.app, ...more });
  }
}
