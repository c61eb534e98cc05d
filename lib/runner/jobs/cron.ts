import { setTimeout as pause } from 'node:timers/promises';
import type { Cron } from 'croner';
import type { CronJob } from '../../../functions/core/ports/processes.ts';
import { type CronEntry, jobSubject, timesOf } from '../../builder/start/cron.ts';
import { scriptCommand } from '../../builder/start/start-command.ts';
import { sentenceOf } from '../../http/http-error.ts';
import type { ReportOf } from '../calls.ts';
import { Condition } from '../limits/condition.ts';
import type { ProcessLog } from '../logs/app-log.ts';
import { type AppProcess, startProcess } from '../processes/app-process.ts';
import type { RunnerLimits } from '../settings.ts';
import type { Release } from '../start/release.ts';
import { exitOf } from './one-off.ts';

/** As of a shell, for a program that could not be started. */
const NOT_FOUND = 127;

/** Runs the cron entries of an application at their times, one run of an entry at a time. */
export class CronTable {
  #jobs: readonly Job[] = [];
  /** Running jobs, also of earlier releases, which run to their end. */
  readonly #running = new Set<Job>();

  constructor(
    private readonly report: ReportOf,
    private readonly limits: RunnerLimits,
  ) {}

  /** Takes the entries of a release in place of those before. An entry that stays keeps its last run and goes on. */
  use(release: Release): void {
    const before = this.#jobs;
    for (const job of before) job.stop();
    this.#jobs = this.#jobsOf(release.cron);
    for (const job of before) if (!this.#jobs.includes(job)) job.leave();
    for (const [at, job] of this.#jobs.entries()) job.schedule(release, nameOf(at));
  }

  /** Ends all runs; nothing is started any more. */
  async end(): Promise<void> {
    for (const job of this.#jobs) job.stop();
    await Promise.all([...this.#running].map((job) => job.end(this.limits.graceMs)));
  }

  /** Ends the runs that hang. */
  async endHanging(): Promise<void> {
    const hanging = [...this.#running].filter((job) => job.isHanging());
    await Promise.all(hanging.map((job) => job.end(this.limits.graceMs)));
  }

  /** Resolves when all runs have ended, which they must within the time of one that hangs; nothing is started any more. */
  async finish(): Promise<void> {
    for (const job of this.#jobs) job.stop();
    const ended = Promise.all([...this.#running].map((job) => job.done()));
    await Promise.race([ended, pause(this.limits.hangMs, undefined, { ref: false })]);
    await this.end();
  }

  /** Returns entries as the API shows them; those that are not in the table have not run. */
  shown(entries: readonly CronEntry[]): readonly CronJob[] {
    return this.#jobsOf(entries).map((job, at) => job.shown(nameOf(at)));
  }

  /** Returns the jobs that there are for these entries, or new ones: two equal entries are two jobs. */
  #jobsOf(entries: readonly CronEntry[]): readonly Job[] {
    const left = [...this.#jobs];
    return entries.map((entry) => {
      const at = left.findIndex((job) => isSame(job.entry, entry));
      const [job] = at < 0 ? [] : left.splice(at, 1);
      return job ?? this.#newJob(entry);
    });
  }

  #newJob(entry: CronEntry): Job {
    const { report, limits } = this;
    const condition = new Condition({ about: jobSubject(entry), report, pauseMs: limits.incidentMs });
    return new Job(entry, { running: this.#running, condition, hangMs: limits.hangMs });
  }
}

/** Returns the name of a cron entry, which no line of a Procfile can have. */
function nameOf(at: number): string {
  return `@cron.${at + 1}`;
}

function isSame(one: CronEntry, other: CronEntry): boolean {
  return one.command === other.command && one.schedule === other.schedule && one.timezone === other.timezone;
}

interface JobParts {
  /** The jobs that run. */
  readonly running: Set<Job>;
  readonly condition: Condition;
  readonly hangMs: number;
}

/** One entry, over all releases that have it. */
class Job {
  #times: Cron | undefined;
  #began: Date | null = null;
  #process: Promise<AppProcess | undefined> | undefined;
  #done = Promise.resolve();
  #skipped = 0;
  #last: CronJob['last'] = null;
  #isEnding = false;

  constructor(
    readonly entry: CronEntry,
    private readonly parts: JobParts,
  ) {}

  /** Runs the entry in a release from now on; what was due before is not made up for. */
  schedule(release: Release, name: string): void {
    this.stop();
    this.#times = timesOf(this.entry, () => this.#due(release, name));
  }

  stop(): void {
    this.#times?.stop();
    this.#times = undefined;
  }

  /** It is in no release any more, so that it does not fail either. */
  leave(): void {
    this.parts.condition.end('is not there any more');
  }

  async end(graceMs: number): Promise<void> {
    this.#isEnding = true;
    const process = await this.#process;
    await process?.group.end(graceMs);
    await this.#done;
  }

  /** Whether its run goes on for long, and others have not begun for that, or it is of an earlier release. */
  isHanging(): boolean {
    const isLong = this.#began !== null && Date.now() - this.#began.getTime() >= this.parts.hangMs;
    return isLong && (this.#skipped > 0 || this.#times === undefined);
  }

  done(): Promise<void> {
    return this.#done;
  }

  shown(name: string): CronJob {
    const [running, next] = [this.#began, this.#times?.nextRun()].map((time) => time?.toISOString() ?? null);
    return { name, ...this.entry, running: running ?? null, last: this.#last, next: next ?? null };
  }

  #due(release: Release, name: string): void {
    const log = release.log.of(name);
    if (this.#began === null) {
      this.#done = this.#run(release, { log, name });
      return;
    }
    // Once for each run: some are due each second.
    if (this.#skipped++ === 0) log.note('is due and is skipped, because its last run is still going');
    const since = `has not ended since ${this.#began.toISOString()}, and is not run until then`;
    if (this.isHanging()) this.parts.condition.fails(`${since}; "hooks restart" ends it`, name);
  }

  async #run(release: Release, { log, name }: { readonly log: ProcessLog; readonly name: string }): Promise<void> {
    const began = new Date();
    this.#began = began;
    this.#isEnding = false;
    this.parts.running.add(this);
    log.note(`runs ${this.entry.command}`);
    const started = startProcess(release, {
      command: scriptCommand(this.entry.command),
      output: (stream, name) => log.capture(stream, name, () => {}),
    });
    this.#process = started.catch(() => undefined);
    const ending = await started.then(({ ended }) => ended, sentenceOf);
    const seconds = (Date.now() - began.getTime()) / 1000;
    const isStarted = typeof ending !== 'string';
    const skipped = this.#skipped === 0 ? '' : `; skipped meanwhile: ${this.#skipped}`;
    log.note(`${isStarted ? `${ending.how} after ${seconds.toFixed(1)} s` : ending}${skipped}`);
    const exit = isStarted ? exitOf(ending).exit : NOT_FOUND;
    this.#last = { at: began.toISOString(), seconds, exit };
    // One that was ended with its release has not failed.
    if (exit === 0) this.parts.condition.isFine('has succeeded');
    else if (!this.#isEnding) this.parts.condition.fails((isStarted ? ending.how : ending).replace(/\.$/, ''), name);
    this.#began = null;
    this.#process = undefined;
    this.#skipped = 0;
    this.parts.running.delete(this);
  }
}
