import { background } from '../../functions/core/concurrency.ts';
import type { Target } from '../http/forwarding/target.ts';
import type { StartedGroup } from '../process/members.ts';
import type { ReportOf } from './calls.ts';
import type { AppProxy } from './door/proxy.ts';
import { CronTable } from './jobs/cron.ts';
import type { Formation } from './processes/formation.ts';
import type { RunnerLimits } from './settings.ts';
import type { RunningRelease } from './start/launch.ts';

interface RunsParts {
  readonly limits: RunnerLimits;
  readonly proxy: AppProxy;
  readonly report: ReportOf;
  /** Called when what was live before the live release has ended. */
  readonly onRetired: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** A start that has succeeded. */
export interface StartedRun {
  /** Absent: its `web` waits for a request. */
  readonly running: RunningRelease | undefined;
  /** Returns the processes beside `web`: those that go on, or new ones. */
  readonly form: () => Formation;
}

interface KnownRun extends StartedRun {
  formation?: Formation;
  /** Resolves when its requests have ended; they go elsewhere then. */
  drained?: Promise<void>;
}

/** Where the requests go when everything ends. */
export interface Leaving {
  readonly drainMs: number;
  /** Another runner, which gets them. */
  readonly other?: Target | undefined;
  /** Whether runs of cron are ended, and not waited for. */
  readonly endsCron?: boolean;
}

/** The processes of an application, by the versions of their starts, with cron. It decides nothing: `next` does. */
export class Runs {
  readonly cron: CronTable;
  /** Only `end` waits for it. */
  readonly #background;
  readonly #all = new Map<number, KnownRun>();
  #serving: KnownRun | undefined;
  #formation: Formation | undefined;

  constructor(private readonly parts: RunsParts) {
    this.#background = background(parts.onFailure);
    this.cron = new CronTable(parts.report, parts.limits);
  }

  /** The run that gets the requests. */
  get running(): RunningRelease | undefined {
    return this.#serving?.running;
  }

  get formation(): Formation | undefined {
    return this.#formation;
  }

  /** The formation, when anything of it runs, also at times only. */
  get busy(): Formation | undefined {
    return this.#formation?.isBusy() ? this.#formation : undefined;
  }

  groups(): readonly StartedGroup[] {
    const others = this.#formation?.shown() ?? [];
    return [this.running?.group, ...others.map(({ group }) => group)].filter((group) => group !== undefined);
  }

  add(version: number, run: StartedRun): void {
    this.#all.set(version, { ...run });
  }

  /** Moves the requests to a run, or to none; its formation takes the place of that before. */
  serve(version: number | null, isBack = false): void {
    const run = version === null ? undefined : this.#all.get(version);
    if (run) this.#takeFormation(run, isBack);
    const drained = this.parts.proxy.pointTo(run?.running?.address)(this.parts.limits.drainMs);
    if (this.#serving) this.#serving.drained = drained;
    this.#serving = run?.running ? run : undefined;
    if (version !== null && !run?.running) this.retire(version);
  }

  #takeFormation(run: KnownRun, isBack: boolean): void {
    const former = this.#formation;
    const isOther = isBack && run.formation !== former;
    // It has ended when the other one came.
    const formation = isOther ? run.formation?.anew() : (run.running?.formation ?? run.formation ?? run.form());
    if (!formation) return;
    run.formation = formation;
    this.#formation = formation;
    if (formation === former) return;
    this.cron.use(formation.release);
    // With a run that serves, it has retired when that has.
    const isRetired = this.#serving ? () => {} : this.parts.onRetired;
    this.#background.add(Promise.resolve(former?.end(this.parts.limits.graceMs)).then(isRetired));
  }

  /** Ends a run when its requests have ended. */
  retire(version: number): void {
    const run = this.#all.get(version);
    this.#all.delete(version);
    if (run) this.#background.add(this.#retired(run));
  }

  async #retired(run: KnownRun): Promise<void> {
    const { graceMs } = this.parts.limits;
    await run.drained;
    await run.running?.end(graceMs);
    if (!this.#formation || !run.formation || run.formation === this.#formation) return;
    await run.formation.end(graceMs);
    this.parts.onRetired();
  }

  /** Ends everything; no process of the application is left afterwards. */
  async end({ drainMs, other, endsCron = true }: Leaving): Promise<void> {
    const { proxy, limits } = this.parts;
    const { graceMs } = limits;
    const formation = this.#formation;
    this.#formation = undefined;
    const drained = proxy.pointTo(other)(drainMs);
    if (this.#serving) this.#serving.drained = drained;
    this.#serving = undefined;
    for (const version of [...this.#all.keys()]) this.retire(version);
    await Promise.all([formation?.end(graceMs), endsCron ? this.cron.end() : this.cron.finish()]);
    await this.#background.ended();
  }
}
