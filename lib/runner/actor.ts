import { HttpError, messageOf, sentenceOf, withSentence } from '../http/http-error.ts';
import type { AppSpec, ReleaseSpec, ReportOf, Resumption } from './calls.ts';
import { CurrentSpec } from './current-spec.ts';
import { AppPort } from './door/app-port.ts';
import { type AppProxy, appProxy } from './door/proxy.ts';
import { IdleWatch } from './idle.ts';
import { next } from './life.ts';
import { reportLimit } from './limits/condition.ts';
import { type AppLog, appLog } from './logs/app-log.ts';
import { type Leaving, Runs, type StartedRun } from './runs.ts';
import { type Release, type RunnerParts, releaseOf } from './start/release.ts';
import { mustBeAlone, startFormer, startSpec, type Wish, withAdvice } from './start/start.ts';
import {
  type Cause,
  type Doing,
  type Effect,
  type Life,
  type LifeEvent,
  NEW_LIFE,
  stateForVisitors,
  stateOf,
} from './states.ts';
import { type Usage, usageOf } from './usage.ts';

/** Carries out what `next` says of one application, one after the other, and tells it what comes of that. */
export class Actor {
  readonly spec: CurrentSpec;
  readonly log: AppLog;
  readonly usage: Usage;
  readonly proxy: AppProxy;
  readonly port: AppPort;
  readonly runs: Runs;
  readonly idle: IdleWatch;
  readonly #events: LifeEvent[] = [];
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #life = NEW_LIFE;
  #since: Date | null = null;
  #isClosing = false;
  /** Starts and ends, one after the other. */
  #lasting = Promise.resolve();
  /** Resolve when no start is under way. */
  #waiting: (() => void)[] = [];
  #starting: AbortController | undefined;
  #wish: Wish | undefined;
  /** What has ended for that. */
  #former: Release | undefined;
  /** Why it has failed. */
  #failure: unknown;
  #leaving: Leaving;
  #startMs = 0;

  constructor(
    private readonly parts: RunnerParts,
    app: AppSpec,
  ) {
    const { limits } = parts;
    this.#leaving = { drainMs: limits.drainMs };
    this.spec = new CurrentSpec(app);
    this.log = appLog(app.log, limits.logBytes);
    this.usage = usageOf(app.log, this.#failed);
    this.idle = new IdleWatch(limits.idleMs, () => this.#take({ type: 'idle' }));
    this.proxy = appProxy({
      spec: () => this.spec.now,
      isPassword: parts.isPassword,
      use: () => this.idle.use(),
      wake: () => this.#take({ type: 'request' }),
      usage: this.usage,
      guard: (server) => parts.connections.guard(server, () => app.user),
      limits,
      state: () => stateForVisitors(this.#life),
    });
    this.port = new AppPort({ ...parts, spec: this.spec, proxy: this.proxy, report: this.report });
    this.runs = new Runs({
      limits,
      proxy: this.proxy,
      report: this.report,
      onRetired: () => this.report('app.retired', {}),
      onFailure: this.#failed,
    });
  }

  readonly report: ReportOf = (type, more) => {
    const { user, app } = this.spec.now;
    this.parts.report({ type, user, app, ...more });
  };

  readonly #failed = (error: unknown): void => this.report('app.error', { detail: messageOf(error) });

  get life(): Life {
    return this.#life;
  }

  /** When the state that people see has changed, or another process has got the requests. */
  get since(): Date | null {
    return this.#since;
  }

  /** Returns a release with the current variables. */
  ready(release: ReleaseSpec): Release {
    return releaseOf(this.parts, this.spec.now, release, this.log);
  }

  /** Starts a release. Throws why it has failed, and what came of that. */
  async start(wish: Wish): Promise<void> {
    // What the runner starts by itself may have begun meanwhile.
    while (this.#life.state.is === 'starting') await this.settled();
    if (this.#isClosing) throw new HttpError(503, 'The platform is stopping.');
    const { release, keptFiles, mayRest = false } = wish;
    this.#wish = wish;
    this.#failure = undefined;
    this.#former = undefined;
    const isAlone = mustBeAlone(release, keptFiles);
    this.#take({ type: 'desired', snapshot: release.snapshot, isAlone, runs: this.#running(), mayRest });
    await this.settled();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Returns the snapshot of what runs, here or in the runner before; null when nothing does. */
  #running(): string | null {
    if (this.port.isElsewhere) return this.spec.now.release?.snapshot ?? null;
    const { running, busy, formation } = this.runs;
    return running || busy ? (formation?.release.snapshot ?? null) : null;
  }

  async resume({ missing, later = false }: Resumption): Promise<void> {
    const { release, scale } = this.spec.now;
    const snapshot = later ? null : (release?.snapshot ?? null);
    this.#take({ type: 'resumed', snapshot, missing, inTurn: scale.web !== 'auto' });
    await this.settled(true);
  }

  /** Gives up the start that is under way, which has failed then. */
  cancel(): void {
    this.#starting?.abort();
  }

  close(): void {
    this.#isClosing = true;
    this.cancel();
  }

  async end(leaving: Leaving): Promise<void> {
    this.#leaving = leaving;
    this.#take({ type: 'stopped' });
    await this.#lasting;
  }

  /** Resolves when no start is under way, nor waits for its turn where that is asked for. */
  async settled(orQueued = false): Promise<void> {
    const { state } = this.#life;
    const isQueued = orQueued && state.is === 'waiting' && state.until === 'turn';
    if (state.is !== 'starting' && !isQueued) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.settled(orQueued);
  }

  /** An effect may cause an event, which comes after it. */
  #take(event: LifeEvent): void {
    this.#events.push(event);
    if (this.#events.length > 1) return;
    for (let one = this.#events[0]; one; one = this.#events[0]) {
      try {
        this.#step(one);
      } catch (error) {
        this.#failed(error);
      }
      this.#events.shift();
    }
  }

  #step(event: LifeEvent): void {
    if (this.#isClosing && !['answered', 'failed', 'stopped'].includes(event.type)) return;
    const before = stateOf(this.#life);
    const { life, effects } = next(this.#life, event, this.parts.limits);
    this.#life = life;
    if (stateOf(life) !== before) this.#since = new Date();
    for (const effect of effects) this.#carryOut(effect);
    this.proxy.stateChanged();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }

  #carryOut(effect: Effect): void {
    if (effect.do === 'start') this.#begin(effect);
    else if (effect.do === 'end') this.#endAll();
    else if (effect.do === 'cancel') this.cancel();
    else if (effect.do === 'serve') this.#serve(effect);
    else if (effect.do === 'retire') this.runs.retire(effect.version);
    else if (effect.do === 'arm') this.#arm(effect);
    else if (effect.do === 'queue') void this.#queue(effect.version).catch(this.#failed);
    else if (effect.do === 'use') this.idle.allow(this.spec.now.scale.web === 'auto');
    else if (effect.do === 'note') this.log.note(effect.text);
    else this.#report(effect);
  }

  #begin(effect: Doing<'start'>): void {
    this.#starting = new AbortController();
    this.#later(() => this.#start(effect));
  }

  #endAll(): void {
    this.idle.allow(false);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#later(() => this.#end());
  }

  #later(work: () => Promise<void>): void {
    this.#lasting = this.#lasting.then(work).catch(this.#failed);
  }

  async #start({ version, cause, mayRest }: Doing<'start'>): Promise<void> {
    const { signal } = this.#starting ?? new AbortController();
    const began = performance.now();
    try {
      const run = await this.#started(cause, mayRest, signal);
      this.#startMs = performance.now() - began;
      this.#add(version, run);
      if (cause === 'return') this.#failure = withSentence(this.#failure, 'What ran before was started again.');
      this.#take({ type: 'answered', version, hasWeb: run.running?.address !== undefined, rests: !run.running });
    } catch (error) {
      const how = sentenceOf(error);
      if (cause === 'wish') this.#failure = this.#former ? error : await withAdvice(error, this.runs);
      if (cause === 'return') {
        this.#failure = withSentence(this.#failure, `What ran before does not start again: ${how}`);
      }
      this.#take({ type: 'failed', version, how, isCancelled: signal.aborted });
    }
  }

  #started(cause: Cause, mayRest: boolean, signal: AbortSignal): Promise<StartedRun> {
    const parts = { ...this, ready: (release: ReleaseSpec) => this.ready(release) };
    if (cause === 'return' && this.#former) return startFormer(parts, this.#former, signal);
    if (cause !== 'wish' || !this.#wish) {
      return startSpec(parts, this.spec.release(), { mayRest, keepsOthers: true, signal });
    }
    const { release, keptFiles } = this.#wish;
    return startSpec(parts, release, { mayRest, keepsOthers: false, keptFiles, signal });
  }

  #add(version: number, run: StartedRun): void {
    const began = performance.now();
    this.runs.add(version, run);
    void run.running?.ended.then(({ how, tooLarge, wellUntil = performance.now() }) => {
      const ranMs = wellUntil - began;
      this.#take({ type: 'ended', version, how: `${run.running?.snapshot} ${how}`, tooLarge, ranMs });
      this.runs.retire(version);
    });
  }

  #serve({ version, isBack = false }: Doing<'serve'>): void {
    this.#since = new Date();
    const { state } = this.#life;
    const release = this.#wish?.release;
    const snapshot = state.is === 'running' ? state.serving.now.snapshot : state.is === 'asleep' && state.snapshot;
    if (isBack) this.spec.goBack();
    else if (release && release.snapshot === snapshot) this.spec.change({ release });
    this.runs.serve(version, isBack);
  }

  async #end(): Promise<void> {
    const { release } = this.spec.now;
    this.#former = this.port.isElsewhere && release ? this.ready(release) : this.runs.formation?.release;
    if (!this.#isClosing) await this.port.endElsewhere();
    await this.runs.end(this.#leaving);
    await this.log.flush();
  }

  #arm({ timer, version, ms }: Doing<'arm'>): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.set(
      timer,
      setTimeout(() => this.#take({ type: 'timer', timer, version }), ms),
    );
  }

  async #queue(version: number): Promise<void> {
    await this.port.openHere();
    await this.parts.turns(this.spec.now.user, async () => {
      this.#take({ type: 'turn', version, isWanted: this.idle.isUsed });
      await this.settled();
    });
  }

  #report(effect: Doing<'report'>): void {
    const { do: _do, type, ...more } = effect;
    const isServing = type === 'app.serving';
    const entry = type === 'app.returned' ? this.#wish?.entry : undefined;
    const others = { ...(isServing && { milliseconds: this.#startMs }), ...(typeof entry === 'number' && { entry }) };
    // It is not fine while another process of it crashes in a loop.
    if (!isServing || !this.runs.formation?.isLooping()) this.report(type, { ...more, ...others });
    reportLimit({ name: 'web', life: this.#life, report: this.report }, effect);
  }
}
