import { background } from '../../functions/core/concurrency.ts';
import type { Target } from '../http/forwarder.ts';
import type { AppProxy } from './door/proxy.ts';
import { CronTable } from './jobs/cron.ts';
import type { ProcessLog } from './logs/app-log.ts';
import type { Ending } from './processes/app-process.ts';
import type { Formation } from './processes/formation.ts';
import type { RunnerLimits } from './settings.ts';
import type { RunningRelease } from './start/launch.ts';

interface LiveParts {
  readonly limits: RunnerLimits;
  readonly proxy: AppProxy;
  /** Called when the release before the live one has ended. */
  readonly onRetired: () => void;
  /** Called when the serving process has ended without a request to do so; it is not live any more then. */
  readonly onCrash: (which: RunningRelease, ending: Ending) => void;
  /** Called when it has ended so soon that the one before it serves again. */
  readonly onReturn: (change: Return) => void;
  readonly onFailure: (error: unknown) => void;
}

/** A release that has ended soon after it went live, and the one that serves again. */
interface Return {
  readonly from: RunningRelease;
  readonly to: RunningRelease;
  readonly ending: Ending;
}

/** Notes that, and returns what is reported of it. */
export function returned({ from: { snapshot }, to, ending: { how, tooLarge } }: Return, log: Pick<ProcessLog, 'note'>) {
  log.note(`${snapshot} ${how}; ${to.snapshot} serves again`);
  return { snapshot, serves: to.snapshot, detail: `${snapshot} ${how}`, isCause: tooLarge };
}

/** The release that served before, which runs on without requests. */
interface Kept {
  readonly release: RunningRelease;
  readonly formation: Formation | undefined;
  /** Keeps the release no longer, and says whether it is to end. */
  readonly done: (ends: boolean) => void;
}

/** The live parts of an application: the release that gets the traffic, the processes beside `web`, and cron. */
export class Live {
  readonly cron = new CronTable();
  /** Only `end` waits for it. */
  readonly #background;
  #running: RunningRelease | undefined;
  #formation: Formation | undefined;
  #kept: Kept | undefined;

  constructor(private readonly parts: LiveParts) {
    this.#background = background(parts.onFailure);
  }

  get running(): RunningRelease | undefined {
    return this.#running;
  }

  get formation(): Formation | undefined {
    return this.#formation;
  }

  /** The formation, when anything of it runs, also at times only. */
  get busy(): Formation | undefined {
    return this.#formation?.isBusy() ? this.#formation : undefined;
  }

  /**
   * Moves the traffic to a release, or to none. What was live before is ended, unless the formation goes on; a `web` that
   * another one has replaced is kept for a while, in which the new one may end.
   */
  use(next: RunningRelease | undefined, formation: Formation): void {
    const { proxy, limits, onRetired } = this.parts;
    const [old, before] = [this.#running, this.#formation];
    const isNew = formation !== before;
    this.#running = next;
    this.#formation = formation;
    if (isNew) this.cron.use(formation.release);
    const drained = proxy.pointTo(next?.address);
    this.#kept?.done(true);
    const mayEnd = next?.address && old?.address ? this.#keep(old, before) : true;
    void next?.ended.then((ending) => this.#ended(next, ending));
    const retire = async () => {
      await Promise.all([
        Promise.all([mayEnd, drained(limits.drainMs)]).then(([ends]) => (ends ? old?.end(limits.graceMs) : undefined)),
        isNew && before?.end(limits.graceMs),
      ]);
      if (isNew) onRetired();
    };
    this.#background.add(retire());
  }

  #keep(release: RunningRelease, formation: Formation | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (ends: boolean) => {
        clearTimeout(timer);
        if (this.#kept?.release === release) this.#kept = undefined;
        resolve(ends);
      };
      const timer = setTimeout(() => done(true), this.parts.limits.keepMs);
      void release.ended.then(() => done(true));
      this.#kept = { release, formation, done };
    });
  }

  #ended(which: RunningRelease, ending: Ending): void {
    if (this.#running !== which) return;
    if (this.#kept) this.#goBack(which, ending, this.#kept);
    else {
      this.#running = undefined;
      this.parts.proxy.pointTo(undefined);
      this.parts.onCrash(which, ending);
    }
  }

  #goBack(from: RunningRelease, ending: Ending, { release: to, formation, done }: Kept): void {
    const { proxy, limits, onReturn } = this.parts;
    done(false);
    this.#running = to;
    proxy.pointTo(to.address);
    if (formation && formation !== this.#formation) {
      this.#background.add(this.#formation?.end(limits.graceMs) ?? Promise.resolve());
      this.#formation = formation.anew();
      this.cron.use(formation.release);
    }
    onReturn({ from, to, ending });
  }

  /** Ends a `web` without requests, and nothing else; its end is not waited for. */
  endWeb(): void {
    const old = this.#running;
    this.#running = undefined;
    this.#kept?.done(true);
    this.parts.proxy.pointTo(undefined);
    if (old) this.#background.add(old.end(this.parts.limits.graceMs));
  }

  /**
   * Takes the traffic away, or has another runner take it, and ends everything; no process of the application is left
   * afterwards. Runs of cron are waited for, unless it ends for a start that must be alone.
   */
  async end(drainMs: number, other?: Target, isAlone = other === undefined): Promise<void> {
    const { proxy, limits } = this.parts;
    const [old, formation] = [this.#running, this.#formation];
    this.#running = undefined;
    this.#formation = undefined;
    this.#kept?.done(true);
    const { graceMs } = limits;
    const drained = proxy.pointTo(other)(drainMs);
    const jobs = () => (isAlone ? this.cron.end(graceMs) : this.cron.finish());
    await Promise.all([drained.then(() => old?.end(graceMs)), formation?.end(graceMs), jobs()]);
    await this.#background.ended();
  }
}
