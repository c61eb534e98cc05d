import { availableParallelism } from 'node:os';
import { backOff } from '../../functions/core/concurrency.ts';
import { FAILED_JOB_PAUSES, keyOf, type StageJob } from '../../functions/core/pipeline/job.ts';
import type { StageName } from '../../functions/core/pipeline/pipeline.ts';
import type { RunResult } from '../../functions/core/pipeline/stage-context.ts';
import { Places } from '../../functions/core/places.ts';
import type { JobQueue } from '../../functions/core/ports/stages.ts';
import type { Trace } from '../../functions/core/ports/system.ts';

/** Builds at a time: each may take a processor and a gigabyte. */
const BUILDS = Math.max(4, 2 * availableParallelism());

/** Deliveries that follow each other within this time are a burst. */
const BURST_MS = 50;
/** The jobs of a burst begin when none has come for this time, … */
const QUIET_MS = 10;
/** … and while deliveries come, those of this time are spread over as much time again. */
const COLLECTED_MS = 250;
const STEP_MS = 4;
/** A change of the builds that wait is told after this time: most waits are shorter. */
const TOLD_AFTER_MS = 1_000;

interface DispatcherParts {
  /** Runs the stage of a job. `hasThrown`: the run before has not said how it ended. */
  readonly run: (job: StageJob, hasThrown: boolean) => Promise<RunResult>;
  readonly reports: Pick<JobQueue, 'report'>;
  /** Is told the builds that wait, in the order of their turns, when that has changed, and how many run. */
  readonly onBuildsWaiting: (builds: readonly StageJob[], running: number) => void;
  readonly trace: Trace;
}

/** The queues of this machine. */
export interface Dispatcher extends JobQueue {
  /** Begins no job any more. Those under way end; a later start goes on with the others. */
  stop(): void;
}

interface QueuedJob {
  job: StageJob;
  state: 'waiting' | 'running' | 'paused';
  /** Whether it was sent again during its run: then it runs again at once. */
  again: boolean;
  failures: number;
  /** Whether it waits for the end of a burst. */
  inBurst: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Returns the queues between the stages in this process. The entries in the log are the jobs: what is lost here with the
 * process is found there by the next start. One job of a group (`jobOf`) runs at a time, oldest first, and a deploy goes on
 * with its next stage at once; a job that pauses lets the others of its group pass. The places of a stage are given out by
 * turns of the users (`Places`), and a job keeps its place for as long as it goes on in its stage.
 *
 * The first job of a lone delivery begins at once. Those of a burst give way to its other deliveries: these are answered
 * first, and a push that a later one of the burst supersedes asks the repository host nothing. While a burst goes on they
 * begin one after the other, because many at once would hold up the deliveries for as long as they take.
 */
export function dispatcher({ run, reports, onBuildsWaiting, trace }: DispatcherParts): Dispatcher {
  const jobs = new Map<string, QueuedJob>();
  const groups = new Map<string, QueuedJob[]>();
  /** The groups of which a job runs, or waits for a place. */
  const busy = new Set<string>();
  /** The groups that wait for a place of a stage. A run of `extract` lasts as long as its build. */
  const queues: Readonly<Record<StageName, Places<string>>> = {
    check: new Places(8),
    fetch: new Places(4),
    upload: new Places(4),
    extract: new Places(BUILDS),
    start: new Places(8),
  };
  const bursts = burst((ended) => {
    for (const one of ended) one.inBurst = false;
    for (const { job } of ended) begin(job.group);
  });
  let stopped = false;
  let telling: NodeJS.Timeout | undefined;

  const wait = (queued: QueuedJob, first: boolean) => {
    clearTimeout(queued.timer);
    queued.state = 'waiting';
    const group = groups.get(queued.job.group) ?? [];
    groups.set(queued.job.group, group);
    if (first) group.unshift(queued);
    else group.push(queued);
    begin(queued.job.group);
  };
  /** Queues the first job of a group for a place, unless a job of the group waits or runs. */
  const begin = (name: string) => {
    const [next] = groups.get(name) ?? [];
    if (stopped || next === undefined || next.inBurst || busy.has(name)) return;
    const { stage, user } = next.job;
    busy.add(name);
    queues[stage].add(user, name);
    fill(stage);
  };
  const fill = (stage: StageName) => {
    if (stopped) return;
    const places = queues[stage];
    for (let next = places.take(); next !== null; next = places.take()) void occupy(stage, next.user, next.work);
    if (stage === 'extract' && places.hasWaiting()) telling ??= setTimeout(tell, TOLD_AFTER_MS);
  };
  const tell = () => {
    telling = undefined;
    const waiting = queues.extract.inOrder().flatMap((name) => groups.get(name)?.slice(0, 1) ?? []);
    onBuildsWaiting(
      waiting.map(({ job }) => job),
      BUILDS,
    );
  };
  /** Runs the first job of a group in a place of its stage, for as long as it goes on there without a pause. */
  const occupy = async (stage: StageName, user: string, name: string) => {
    const queued = take(name) as QueuedJob;
    queued.state = 'running';
    let pauseSeconds = await work(queued);
    while (!stopped && isContinued(queued, pauseSeconds) && queued.job.stage === stage) {
      queued.again = false;
      pauseSeconds = await work(queued);
    }
    queues[stage].free(user);
    busy.delete(name);
    settle(queued, pauseSeconds);
    begin(name);
    fill(stage);
  };
  const take = (name: string) => {
    const group = groups.get(name);
    const queued = group?.shift();
    if (group?.length === 0) groups.delete(name);
    return queued;
  };
  /** Returns the seconds after which the job runs again; null when it is done. */
  const work = async (queued: QueuedJob): Promise<number | null> => {
    const { job } = queued;
    try {
      const result = await run(job, queued.failures > 0);
      queued.failures = 0;
      return result.done ? null : result.visibleInSeconds;
    } catch (error) {
      queued.failures += 1;
      if (!stopped) trace('stage not run', { ...job, error });
      return backOff(queued.failures - 1, FAILED_JOB_PAUSES);
    }
  };
  const settle = (queued: QueuedJob, pauseSeconds: number | null) => {
    const isNext = isContinued(queued, pauseSeconds);
    queued.again = false;
    if (isNext) return wait(queued, true);
    if (pauseSeconds === null) {
      jobs.delete(keyOf(queued.job));
      return;
    }
    queued.state = 'paused';
    queued.timer = setTimeout(() => wait(queued, false), pauseSeconds * 1000);
  };
  return {
    send: async (job) => {
      const queued = jobs.get(keyOf(job));
      if (queued === undefined) {
        const added: QueuedJob = { job, state: 'waiting', again: false, failures: 0, inBurst: false };
        if (job.stage === 'check') added.inBurst = bursts.holds(added);
        jobs.set(keyOf(job), added);
        return wait(added, false);
      }
      queued.job = job;
      if (queued.state === 'running') queued.again = true;
      if (queued.state === 'paused') wait(queued, false);
    },
    report: reports.report,
    stop: () => {
      stopped = true;
      bursts.stop();
      clearTimeout(telling);
      for (const { timer } of jobs.values()) clearTimeout(timer);
    },
  };
}

/** Collects the jobs of a burst. `begin` gets them, in their order. */
function burst(begin: (jobs: readonly QueuedJob[]) => void) {
  const held: QueuedJob[] = [];
  /** How many of them begin by and by, and how many at a time. */
  let spread = 0;
  let step = 0;
  let last = Number.NEGATIVE_INFINITY;
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = performance.now();
    const isOver = now - last >= QUIET_MS;
    if (spread === 0 && now - began >= COLLECTED_MS) {
      began = now;
      spread = held.length;
      step = Math.ceil((spread * STEP_MS) / COLLECTED_MS);
    }
    const count = isOver ? held.length : Math.min(step, spread);
    spread = Math.max(0, spread - count);
    begin(held.splice(0, count));
    timer = held.length === 0 ? undefined : setTimeout(look, spread > 0 ? STEP_MS : last + QUIET_MS - now);
  };
  return {
    /** Whether a job belongs to a burst, and is held for now. */
    holds: (job: QueuedJob): boolean => {
      const now = performance.now();
      const isLone = held.length === 0 && now - last > BURST_MS;
      last = now;
      if (isLone) return false;
      if (held.length === 0) began = now;
      held.push(job);
      timer ??= setTimeout(look, QUIET_MS);
      return true;
    },
    stop: () => clearTimeout(timer),
  };
}

/** Whether a job runs again at once. */
function isContinued({ again }: QueuedJob, pauseSeconds: number | null): boolean {
  return again || pauseSeconds === 0;
}
