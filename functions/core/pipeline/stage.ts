import { type Entry, ended, failed, isFinal, withStage } from '../entry/entry.ts';
import { maskedDetail } from '../entry/mask.ts';
import { DeployError, type ErrorCode } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeployLog } from '../ports/deploy-log.ts';
import type { Ids } from '../ports/ids.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Trace } from '../ports/trace.ts';
import { type Job, jobOf } from './job.ts';
import { type StageName, stages } from './pipeline.ts';
import type { StageOutcome, StageWork, StepExtra } from './stage-work.ts';

/** What running a stage needs. */
export interface StageContext {
  readonly stage: StageName;
  readonly work: StageWork;
  readonly log: DeployLog;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Base of the back-off, in seconds. */
  readonly retryBaseSeconds: number;
  readonly trace: Trace;
}

/** Whether the message is done with, or else in how many seconds it should be seen again. */
export type Verdict = { readonly done: true } | { readonly done: false; readonly visibleIn: number };

/** Tries of a stage before a failure that trying again may help becomes an error. */
export const TRIES = 5;
/** Milliseconds after which the sweeper looks at what has been sent but not taken. */
export const PATIENCE = 60_000;

/** The code of a failure that has none of its own. */
export const stageCodes: Readonly<Record<StageName, ErrorCode>> = {
  check: 'deploy:repohost:no_pkg_json',
  fetch: 'deploy:repohost:download_tarball',
  upload: 'deploy:platform:upload_tarball',
  extract: 'deploy:tar:extract_failed',
  start: 'deploy:platform:start_app',
};

const DONE: Verdict = { done: true };

/**
 * Runs a stage for a message: take it, work, write the step, queue the next stage. A second message for the same stage
 * finds it done and only repeats the sending; one that comes while another works waits for the lease to end.
 */
export async function runStage(job: Job, context: StageContext): Promise<Verdict> {
  const { stage, log, clock } = context;
  const now = clock.now();
  const leaseUntil = now + timeoutOf(stage) * 1000;
  const taken = await log.take({ ...job, stage, now, leaseUntil, due: leaseUntil + PATIENCE });
  if (taken.outcome === 'over') return repeatReport(job, context);
  // The lease ends after that millisecond; who came on the stroke of it would be told to come again at once.
  if (taken.outcome === 'busy') return { done: false, visibleIn: Math.floor((taken.until - now) / 1000) + 1 };
  if (taken.outcome === 'late') return repeatSend(taken.entry, context);
  if (taken.attempts > TRIES) return fail(taken.entry, gaveUp(stage), {}, context);
  const entry = await announce(taken.entry, context);
  return settle(entry, taken.attempts, await attempt(entry, context), context);
}

/** The first stage makes a queued entry `running`, which the readers of the feed want to know. */
async function announce(entry: Entry, { log, clock }: StageContext): Promise<Entry> {
  if (entry.status !== 'queued') return entry;
  const now = clock.now();
  const running = await log.move(entry.user, entry.number, (current) =>
    // It may have been given up meanwhile, and what is final stays so.
    current.status !== 'queued'
      ? null
      : {
          entry: { ...current, status: 'running', updatedAt: now },
          keepsLease: true,
          due: now + timeoutOf(entry.stage) * 1000 + PATIENCE,
        },
  );
  return running ?? entry;
}

async function attempt(entry: Entry, { work, stage, trace }: StageContext): Promise<StageOutcome> {
  try {
    return await work(entry);
  } catch (error) {
    trace('stage failed', { stage, user: entry.user, number: entry.number, uuid: entry.uuid, error });
    return { kind: 'failed', error: asDeployError(error, stage), patch: {} };
  }
}

async function settle(entry: Entry, attempts: number, outcome: StageOutcome, context: StageContext): Promise<Verdict> {
  switch (outcome.kind) {
    case 'done':
      return finish(entry, outcome.patch ?? {}, outcome.detail ?? null, outcome.extra ?? {}, context);
    case 'ended':
      return end(entry, outcome, context);
    case 'failed':
      if (outcome.error.retry && attempts < TRIES) return backOff(entry, attempts, outcome.error, context);
      return fail(entry, outcome.error, outcome.patch, context);
    case 'again':
      await context.log.release({ ...entry, stage: context.stage }, dueIn(outcome.afterSeconds, context));
      return { done: false, visibleIn: outcome.afterSeconds };
    case 'back':
      return goBack(entry, outcome.to, outcome.detail, context);
  }
}

/** The stage is done: the next one's turn, or the end of the deploy. */
async function finish(
  entry: Entry,
  patch: Partial<Entry>,
  detail: string | null,
  extra: StepExtra,
  context: StageContext,
): Promise<Verdict> {
  const now = context.clock.now();
  const next = stageAfter(entry.stage);
  const moved = await step(entry, context, extra, (current) => {
    const done = { ...current, ...patch, reason: null, updatedAt: now };
    const records = withStage(current, { status: 'done', finishedAt: now, detail });
    return next
      ? { ...done, stages: records, stage: next }
      : { ...done, stages: records, status: 'ok', finishedAt: now };
  });
  if (moved === 'outdated') return tryAgain(context, entry);
  if (!moved) return DONE;
  const verdict = await sendOn(moved, context);
  // A commit status bears the application's name, which is known from here on.
  if (entry.appName === null && next) await context.queue.report(moved);
  return verdict;
}

async function end(
  entry: Entry,
  { status, reason, extra = {}, patch = {} }: Extract<StageOutcome, { kind: 'ended' }>,
  context: StageContext,
): Promise<Verdict> {
  const now = context.clock.now();
  const moved = await step(entry, context, extra, (current) => ({
    ...ended({ ...current, ...patch }, status, reason, now),
    stages: withStage(current, { status: 'done', finishedAt: now, detail: reason }),
  }));
  if (moved === 'outdated') return tryAgain(context, entry);
  if (!moved) return DONE;
  await context.queue.report(moved);
  return DONE;
}

/** Runs the stage again at once, which then sees the check result that refused its step. */
async function tryAgain(context: StageContext, { user, number, stage }: Entry): Promise<Verdict> {
  await context.log.release({ user, number, stage }, dueIn(0, context));
  return { done: false, visibleIn: 0 };
}

async function fail(entry: Entry, error: DeployError, patch: Partial<Entry>, context: StageContext): Promise<Verdict> {
  const now = context.clock.now();
  const moved = await step(entry, context, {}, (current) => failed({ ...current, ...patch }, error, now));
  if (moved && moved !== 'outdated') await context.queue.report(moved);
  return DONE;
}

/** Back-off with full jitter, or what the other side asked for (https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/). */
async function backOff(entry: Entry, attempts: number, error: DeployError, context: StageContext): Promise<Verdict> {
  const ceiling = context.retryBaseSeconds * 2 ** (attempts - 1);
  const jittered = Math.max(1, Math.round(ceiling * context.ids.fraction()));
  const seconds = Math.max(jittered, Math.min(error.retryAfter ?? 0, 3600));
  const reason = `${maskedDetail(error.detail)} Trying again in ${seconds} s (try ${attempts} of ${TRIES}).`;
  const now = context.clock.now();
  await step(entry, context, { due: dueIn(seconds, context) }, (current) => ({ ...current, reason, updatedAt: now }));
  return { done: false, visibleIn: seconds };
}

async function goBack(entry: Entry, to: StageName, detail: string, context: StageContext): Promise<Verdict> {
  const returns = (entry.returns ?? 0) + 1;
  if (returns > TRIES) return fail(entry, keepsVanishing(to), {}, context);
  const now = context.clock.now();
  const moved = await step(entry, context, {}, (current) => ({
    ...current,
    stage: to,
    returns,
    stages: withStage(current, { status: 'failed', finishedAt: now, detail }),
    updatedAt: now,
  }));
  return moved && moved !== 'outdated' ? sendOn(moved, context) : DONE;
}

/**
 * Writes a step of an entry that is still at this stage. Returns null when it is not, and `outdated` when another check
 * result forbade the step. The entry is still queued when all workers so far died before they announced it.
 */
async function step(
  entry: Entry,
  context: StageContext,
  extra: StepExtra,
  change: (current: Entry) => Entry,
): Promise<Entry | 'outdated' | null> {
  let isHere = false;
  const moved = await context.log.move(entry.user, entry.number, (current) => {
    isHere = current.stage === entry.stage && (current.status === 'running' || current.status === 'queued');
    return isHere ? { due: context.clock.now() + PATIENCE, ...extra, entry: change(current) } : null;
  });
  return isHere ? (moved ?? 'outdated') : null;
}

/** Queues what comes next: a stage, or word to the repository host. */
async function sendOn(entry: Entry, { queue }: StageContext): Promise<Verdict> {
  if (isFinal(entry.status)) await queue.report(entry);
  else await queue.send(jobOf(entry));
  return DONE;
}

/** The entry ended, or waits, at this stage, and only word of it to the repository host may be lost. */
async function repeatReport({ user, number }: Job, { log, queue, stage }: StageContext): Promise<Verdict> {
  const entry = await log.read(user, number);
  const stopped = entry && (isFinal(entry.status) || entry.status === 'held');
  if (stopped && entry.stage === stage) await queue.report(entry);
  return DONE;
}

/** The stage is done and only its sending may be lost. An entry further on shows that it is not. */
async function repeatSend(entry: Entry, context: StageContext): Promise<Verdict> {
  return entry.stage === stageAfter(context.stage) ? sendOn(entry, context) : DONE;
}

function asDeployError(error: unknown, stage: StageName): DeployError {
  if (error instanceof DeployError) return error;
  const detail = `The service failed in the stage "${stage}".`;
  return new DeployError(stageCodes[stage], detail, { retry: true, cause: error });
}

function gaveUp(stage: StageName): DeployError {
  const detail = `The stage "${stage}" was tried ${TRIES} times and never came to an end.`;
  return new DeployError(stageCodes[stage], detail, { retry: false });
}

function keepsVanishing(stage: StageName): DeployError {
  const detail = `What the stage "${stage}" makes was gone ${TRIES + 1} times before it could be used.`;
  return new DeployError(stageCodes[stage], detail, { retry: false });
}

function dueIn(seconds: number, { clock }: StageContext): number {
  return clock.now() + seconds * 1000 + PATIENCE;
}

function stageAfter(name: StageName): StageName | null {
  return stages[stages.findIndex((stage) => stage.name === name) + 1]?.name ?? null;
}

function timeoutOf(name: StageName): number {
  return stages.find((stage) => stage.name === name)?.timeoutSeconds ?? 60;
}
