import { keyedMutex } from '../../functions/core/concurrency.ts';
import type { Process, ProcessList, Scale } from '../../functions/core/ports/processes.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import type { Target } from '../http/forwarder.ts';
import { messageOf, sentenceOf } from '../http/http-error.ts';
import type { StartedGroup } from '../process/members.ts';
import type { AppSpec, Missing, ReleaseSpec, RunnerEvent } from './calls.ts';
import { CurrentSpec } from './current-spec.ts';
import { AppPort, type PortHandover } from './door/app-port.ts';
import { type AppProxy, appProxy } from './door/proxy.ts';
import { Live, returned } from './live.ts';
import { type AppLog, appLog } from './logs/app-log.ts';
import { processList } from './processes/process-list.ts';
import { countOf } from './processes/scale.ts';
import { Sleep } from './sleep.ts';
import { type Crash, Restarts } from './start/crashes.ts';
import { type Release, type RunnerParts, releaseOf } from './start/release.ts';
import { Swap } from './swap.ts';
import { Usage } from './usage.ts';

/** Runs one application, by the calls of `RunnerCalls`: at most one release serves, and a new one takes over only when it answers. */
export class Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  readonly spec: CurrentSpec;
  readonly usage = new Usage();
  readonly #port: AppPort;
  readonly #restarts: Restarts;
  readonly #live: Live;
  readonly #sleep: Sleep;
  readonly #swap: Swap;
  readonly #withLock = keyedMutex();
  readonly #exclusively = <T>(work: () => Promise<T>): Promise<T> => this.#withLock('', work);
  readonly #report = (type: string, more: Omit<RunnerEvent, 'type' | 'user' | 'app'>): void => {
    const { user, app } = this.spec.now;
    this.parts.report({ type, user, app, ...more });
  };
  readonly #failed = (error: unknown): void => this.#report('app.error', { detail: messageOf(error) });
  #state: Process['state'] = 'stopped';
  #since: Date | null = null;
  #closing = false;

  constructor(
    private readonly parts: RunnerParts,
    spec: AppSpec,
  ) {
    const { limits } = parts;
    this.spec = new CurrentSpec(spec);
    this.log = appLog(spec.log, limits.logBytes);
    this.#restarts = new Restarts(limits, this.log);
    this.#sleep = new Sleep({
      idleMs: limits.idleMs,
      fallAsleep: () => this.#inTurn(() => this.#fallAsleep()),
      wake: () => this.#inTurn(() => this.#revive('asleep')),
      inTurn: (work) => parts.turns(spec.user, work),
    });
    this.proxy = appProxy({
      app: spec.app,
      hosts: () => this.spec.now.hosts,
      sleep: this.#sleep,
      usage: this.usage,
      limits,
      state: () => this.#state,
      onRefused: () => this.#live.running?.refused?.(),
    });
    this.#port = new AppPort({ ...parts, spec: this.spec, proxy: this.proxy, report: this.#report });
    this.#live = new Live({
      limits,
      proxy: this.proxy,
      onRetired: () => this.#report('app.retired', {}),
      onCrash: ({ snapshot }, { how, tooLarge }) => this.#crashed(snapshot, { how: `${snapshot} ${how}`, tooLarge }),
      onReturn: (change) => {
        this.spec.goBack();
        this.#report('app.returned', returned(change, this.log));
      },
      onFailure: this.#failed,
    });
    this.#swap = new Swap({
      limits,
      spec: this.spec,
      log: this.log,
      live: this.#live,
      port: this.#port,
      restarts: this.#restarts,
      sleep: this.#sleep,
      report: this.#report,
      state: () => this.#state,
      become: (state) => this.#become(state),
      isClosing: () => this.#closing,
      ready: (release) => this.ready(release),
      onLost: (snapshot, how) => this.#crashed(snapshot, { how, tooLarge: false }),
    });
  }

  state(): Process['state'] {
    const { running, formation } = this.#live;
    if (running && !running.address && formation?.hasCrashed()) return 'crashed';
    // What runs on has to be restarted for new variables.
    return this.#state === 'asleep' && this.#live.busy ? 'running' : this.#state;
  }

  start(release: ReleaseSpec, keptFiles?: KeptFiles): Promise<number> {
    return this.#exclusively(async () => {
      if (this.#live.running?.snapshot !== release.snapshot) await this.#startAfresh(release, keptFiles);
      return this.proxy.open([]);
    });
  }

  restart(): Promise<void> {
    return this.#exclusively(() => this.#startAfresh(this.spec.release()));
  }

  stop(): Promise<void> {
    this.#swap.cancel();
    return this.#exclusively(async () => {
      this.#become('stopped');
      await this.#port.endElsewhere();
      await this.#end(this.parts.limits.drainMs);
      this.log.note('stopped');
    });
  }

  async resume(missing?: Missing): Promise<void> {
    if (this.#state === 'stopped') this.#become('starting');
    await this.#exclusively(async () => {
      if (this.#state !== 'starting') return;
      if (this.spec.now.release === null && !missing) return;
      if (missing) {
        this.#become('crashed');
        return this.#report('app.crashed', { snapshot: missing.snapshot, detail: missing.why, isCause: true });
      }
      await this.#port.openHere();
      if (this.spec.now.scale.web === 'auto') await this.#revive('starting', true);
      else await this.parts.turns(this.spec.now.user, () => this.#revive('starting'));
    });
  }

  /** Ends the processes, for good; with another runner that is given the port, when requests and runs of cron have ended. */
  close(handover?: PortHandover): Promise<void> {
    this.#closing = true;
    this.#swap.cancel();
    return this.#exclusively(async () => {
      const port = handover && (await this.#port.handOver(handover));
      if (port) {
        const ended = this.#end(this.parts.limits.drainMs, port.to, handover.ended !== undefined);
        return void (await Promise.all([port.left, ended.finally(handover.ended)]));
      }
      // Without connections nothing is left to drain.
      await this.proxy.close();
      await this.#end(0);
    });
  }

  async processes(): Promise<ProcessList> {
    const { release: last, scale } = this.spec.now;
    const release = this.#live.formation?.release ?? (last === null ? undefined : this.ready(last));
    const web = { ...this.#live.running, state: this.#state, since: this.#since, restarts: this.#restarts.count };
    const list = await processList({ web, formation: this.#live.formation, release, cron: this.#live.cron, scale });
    return { ...list, usage: this.usage.shown() };
  }

  groups(): readonly StartedGroup[] {
    const { running, formation } = this.#live;
    const others = formation?.shown() ?? [];
    return [running?.group, ...others.map(({ group }) => group)].filter((group) => group !== undefined);
  }

  /** Returns a release with the current variables; default: the one that is live, or was last. Throws 409 when there is none. */
  ready(release = this.spec.release()): Release {
    return releaseOf(this.parts, this.spec.now, release, this.log);
  }

  scale(changed: Scale): Promise<void> {
    return this.#exclusively(async () => {
      const { scale } = this.spec.now;
      const release = this.spec.release();
      this.spec.change({ scale: changed });
      if (this.#state === 'stopped') return;
      const isAuto = changed.web === 'auto';
      const isAsleep = this.#state === 'asleep';
      if ((isAsleep && !isAuto) || countOf('web', changed) !== countOf('web', scale)) return this.#startAfresh(release);
      // What has not run on was not restarted for new variables.
      if (isAsleep && !this.#live.busy) return this.#swap.to(release, { mayRest: true });
      this.#sleep.allow(isAuto);
      const had = this.#live.formation?.hasCrashed();
      await this.#live.formation?.scale(changed, this.parts.limits.graceMs);
      if (had && !this.#live.formation?.hasCrashed()) this.#report('app.recovered', { snapshot: release.snapshot });
    });
  }

  /** A start on request: earlier crashes do not count, and a pending retry is dropped. */
  async #startAfresh(release: ReleaseSpec, keptFiles?: KeptFiles): Promise<void> {
    this.#restarts.reset();
    await this.#swap.to(release, { keptFiles });
    this.#restarts.count = 0;
  }

  /** After the pause it is started again; one that was asleep sleeps on until the next request. */
  #crashed(snapshot: string, { how, tooLarge }: Crash, wasAsleep = false): void {
    if (this.#closing) return;
    const again = () => void this.#inTurn(() => this.#revive(state, wasAsleep));
    const { state, isNew } = this.#restarts.after({ how, tooLarge, awaitsRequest: wasAsleep }, again);
    this.#become(state);
    if (isNew) this.#report(`app.${state}`, { snapshot, detail: how, isCause: tooLarge });
  }

  /** Starts it after a crash or a start of the runner, or at a request while it is asleep. */
  async #revive(from: Process['state'], mayRest = false): Promise<void> {
    if (this.#live.running || this.#closing || this.#state !== from) return;
    const { release } = this.spec.now;
    if (release === null) return;
    await this.#swap.to(release, { formation: this.#live.busy, mayRest }).catch((error: unknown) => {
      const how = sentenceOf(error);
      if (this.#state === from) this.#crashed(release.snapshot, { how, tooLarge: false }, from === 'asleep');
    });
  }

  async #fallAsleep(): Promise<void> {
    if (!this.#live.running?.address || this.#closing || !this.#sleep.isUnused()) return;
    this.#become('asleep');
    this.log.note('sleeps until the next request');
    this.#live.endWeb();
  }

  async #end(drainMs: number, other?: Target, isAlone?: boolean): Promise<void> {
    this.#restarts.cancel();
    this.#sleep.allow(false);
    await this.#live.end(drainMs, other, isAlone);
    await this.log.flush();
  }

  #become(state: Process['state']): void {
    this.#state = state;
    this.#since = new Date();
    this.proxy.stateChanged();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#exclusively(work).catch(this.#failed);
  }
}
