import { background } from '../../functions/core/concurrency.ts';
import { CronTable } from './jobs/cron.ts';
import type { RunningRelease } from './launch.ts';
import type { Ending } from './processes/app-process.ts';
import type { Formation } from './processes/formation.ts';
import type { AppProxy } from './proxy.ts';
import type { RunnerLimits } from './settings.ts';

interface LiveParts {
  readonly limits: RunnerLimits;
  readonly proxy: AppProxy;
  /** Called when the release before the live one has ended. */
  readonly onRetired: () => void;
  /** Called when the serving process has ended without a request to do so; it is not live any more then. */
  readonly onCrash: (which: RunningRelease, ending: Ending) => void;
  readonly onFailure: (error: unknown) => void;
}

/** The live parts of an application: the release that gets the traffic, the processes beside `web`, and cron. */
export class Live {
  readonly cron = new CronTable();
  /** Only `end` waits for it. */
  readonly #background;
  #running: RunningRelease | undefined;
  #formation: Formation | undefined;

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

  /** Moves the traffic to a release, or to none, and ends what was live before, unless the formation goes on. */
  use(next: RunningRelease | undefined, formation: Formation): void {
    const { proxy, limits, onRetired } = this.parts;
    const [old, before] = [this.#running, this.#formation];
    const isNew = formation !== before;
    this.#running = next;
    this.#formation = formation;
    if (isNew) this.cron.use(formation.release);
    const drained = proxy.pointTo(next?.address);
    void next?.ended.then((ending) => this.#ended(next, ending));
    const retire = async () => {
      await Promise.all([
        drained(limits.drainMs).then(() => old?.end(limits.graceMs)),
        isNew && before?.end(limits.graceMs),
      ]);
      if (isNew) onRetired();
    };
    this.#background.add(retire());
  }

  #ended(which: RunningRelease, ending: Ending): void {
    if (this.#running !== which) return;
    this.#running = undefined;
    this.parts.proxy.pointTo(undefined);
    this.parts.onCrash(which, ending);
  }

  /** Ends a `web` without requests, and nothing else; its end is not waited for. */
  endWeb(): void {
    const old = this.#running;
    this.#running = undefined;
    this.parts.proxy.pointTo(undefined);
    if (old) this.#background.add(old.end(this.parts.limits.graceMs));
  }

  /** Takes the traffic away and ends everything; no process of the application is left afterwards. */
  async end(drainMs: number): Promise<void> {
    const { proxy, limits } = this.parts;
    const [old, formation] = [this.#running, this.#formation];
    this.#running = undefined;
    this.#formation = undefined;
    const drained = proxy.pointTo(undefined)(drainMs);
    const { graceMs } = limits;
    await Promise.all([drained.then(() => old?.end(graceMs)), formation?.end(graceMs), this.cron.end(graceMs)]);
    await this.#background.ended();
  }
}
