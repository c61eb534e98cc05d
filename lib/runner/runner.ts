import { keyedMutex } from '../../functions/core/concurrency.ts';
import type { Process, ProcessList, Scale } from '../../functions/core/ports/processes.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import type { StartedGroup } from '../process/members.ts';
import { Actor } from './actor.ts';
import type { Act, AppSpec, ReleaseSpec } from './calls.ts';
import type { CurrentSpec } from './current-spec.ts';
import type { PortHandover } from './door/app-port.ts';
import type { AppProxy } from './door/proxy.ts';
import type { AppLog } from './logs/app-log.ts';
import { processList } from './processes/process-list.ts';
import { countOf } from './processes/scale.ts';
import type { Release, RunnerParts } from './start/release.ts';
import { stateOf } from './states.ts';
import type { Usage } from './usage.ts';

/** Runs one application, by the calls of `RunnerCalls`: at most one release serves, and a new one takes over only when it answers. */
export class Runner {
  readonly #actor: Actor;
  readonly #withLock = keyedMutex();

  constructor(
    private readonly parts: RunnerParts,
    app: AppSpec,
  ) {
    this.#actor = new Actor(parts, app);
  }

  get proxy(): AppProxy {
    return this.#actor.proxy;
  }

  get log(): AppLog {
    return this.#actor.log;
  }

  get spec(): CurrentSpec {
    return this.#actor.spec;
  }

  get usage(): Usage {
    return this.#actor.usage;
  }

  state(): Process['state'] {
    const { life, runs } = this.#actor;
    const state = stateOf(life);
    if (runs.running && !runs.running.address && runs.formation?.isLooping()) return 'restarting';
    // What runs on has to be restarted for new variables.
    return state === 'asleep' && runs.busy ? 'running' : state;
  }

  /** Does what an act says, and returns the port. */
  async act(act?: Act): Promise<number | null> {
    if (act?.is === 'start') return this.#start(act.release, act.keptFiles);
    if (act?.is === 'restart') await this.#restart(act.entry);
    else if (act?.is === 'resume') await this.#actor.resume(act);
    else if (act?.is === 'scale') await this.#scale(act.scale);
    return this.spec.now.port;
  }

  #start(release: ReleaseSpec, keptFiles?: KeptFiles): Promise<number> {
    return this.#inOrder(async () => {
      const { state } = this.#actor.life;
      const isLive = state.is === 'running' && state.serving.now.snapshot === release.snapshot;
      if (!isLive) await this.#actor.start({ release, keptFiles });
      return this.proxy.open([]);
    });
  }

  #restart(entry?: number): Promise<void> {
    return this.#inOrder(async () => {
      const release = this.spec.release();
      await this.#actor.runs.cron.endHanging();
      await this.#actor.start({ release, entry }).catch((error: unknown) => {
        const live = this.spec.release();
        if (live.snapshot === release.snapshot) throw error;
        // It was taken back meanwhile.
        return this.#actor.start({ release: live, entry });
      });
    });
  }

  stop(): Promise<void> {
    this.#actor.cancel();
    return this.#inOrder(async () => {
      await this.#actor.end({ drainMs: this.parts.limits.drainMs });
      this.log.note('stopped');
    });
  }

  /** Ends the processes, for good; with another runner that is given the port, when requests and runs of cron have ended. */
  close(handover?: PortHandover): Promise<void> {
    const actor = this.#actor;
    actor.close();
    const closed = this.#inOrder(async () => {
      const given = handover && (await actor.port.handOver(handover));
      if (given) {
        const endsCron = handover.ended !== undefined;
        const ended = actor.end({ drainMs: this.parts.limits.drainMs, other: given.to, endsCron });
        return void (await Promise.all([given.left, ended.finally(handover.ended)]));
      }
      // Without connections nothing is left to drain.
      await this.proxy.close();
      await actor.end({ drainMs: 0 });
    });
    return closed.finally(() => this.usage.week.write(true));
  }

  async processes(): Promise<ProcessList> {
    const { release: spec, scale } = this.spec.now;
    const { runs, life, since } = this.#actor;
    const release = runs.formation?.release ?? (spec === null ? undefined : this.ready(spec));
    const web = { ...runs.running, state: stateOf(life), since, restarts: life.crashes.restarts };
    const list = await processList({ web, formation: runs.formation, release, cron: runs.cron, scale });
    return { ...list, usage: this.usage.shown(), week: await this.usage.week.shown() };
  }

  groups(): readonly StartedGroup[] {
    return this.#actor.runs.groups();
  }

  /** Returns a release with the current variables; default: the one that is live, or was last. Throws 409 when there is none. */
  ready(release = this.spec.release()): Release {
    return this.#actor.ready(release);
  }

  #scale(changed: Scale): Promise<void> {
    return this.#inOrder(async () => {
      const { scale } = this.spec.now;
      const release = this.spec.release();
      this.spec.change({ scale: changed });
      const { runs, life, idle, report } = this.#actor;
      if (life.state.is === 'stopped') return;
      const isAuto = changed.web === 'auto';
      const isAsleep = life.state.is === 'asleep';
      const hasWeb = (of: Scale) => countOf('web', of) > 0;
      const isOther = (isAsleep && !isAuto) || hasWeb(changed) !== hasWeb(scale);
      // What has not run on was not restarted for new variables.
      if (isOther || (isAsleep && !runs.busy)) {
        return this.#actor.start({ release, mayRest: !isOther }).catch((error: unknown) => {
          this.spec.change({ scale });
          throw error;
        });
      }
      idle.allow(isAuto);
      const wasLooping = runs.formation?.isLooping();
      await runs.formation?.scale(changed, this.parts.limits.graceMs);
      if (wasLooping && !runs.formation?.isLooping()) report('app.recovered', { snapshot: release.snapshot });
    });
  }

  /** What someone asks for is done one after the other, and after a start that is under way. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    return this.#withLock('', async () => {
      await this.#actor.settled();
      return work();
    });
  }
}
