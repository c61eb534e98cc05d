import { type Entry, isFinal } from '../entry/entry.ts';
import { maskedDetail } from '../entry/mask.ts';
import { ending, failure, type Transition, withStage } from '../entry/transition.ts';
import type { DeployError } from '../errors.ts';
import type { Announce } from '../ports/log.ts';
import { nextTry } from './host-away.ts';
import { type Job, jobOf } from './job.ts';
import { overtake, waitBeforeStart } from './order.ts';
import { backOff, pauseUntil, runAgain, waitForEvent, waitForHost } from './pause.ts';
import { type StageName, SWEEP_AFTER_MS, stageAfter, timeoutMs } from './pipeline.ts';
import { move, type RunResult, type StageContext } from './stage-context.ts';
import { asDeployError, gaveUp, MAX_ATTEMPTS, resultLost } from './stage-failure.ts';
import type { StageOutcome } from './stage-work.ts';

/** A timer may be early by less. */
const EARLY_MS = 1000;

const DONE: RunResult = { done: true };

/**
 * Runs a stage for a message: claims it, works, writes the transition, queues the next stage. A second message for the
 * same stage finds it done and only repeats the sending; one that arrives during the work waits for the lease to end.
 */
export async function runStage(job: Job, context: StageContext): Promise<RunResult> {
  const { stage, log, clock } = context;
  const now = clock.now();
  const leaseUntil = now + timeoutMs(stage);
  const claim = await log.claim({ ...job, stage, now, leaseUntil, dueAt: leaseUntil + SWEEP_AFTER_MS }, announce(now));
  if (claim.outcome === 'closed') return repeatReport(job, context);
  // A retry in the very millisecond in which the lease ends would get a delay of 0: round up.
  if (claim.outcome === 'locked') return { done: false, visibleInSeconds: Math.floor((claim.until - now) / 1000) + 1 };
  if (claim.outcome === 'alreadyDone') return repeatSend(claim.entry, context);
  const { entry, attempts } = claim;
  // A message of the sweep, or of a start, that comes before its time must not ask the host earlier.
  if (entry.hostAway && entry.hostAway.next - now > EARLY_MS) return pauseUntil(entry, entry.hostAway.next, context);
  if (attempts > MAX_ATTEMPTS) return fail(entry, gaveUp(stage), {}, context);
  return settle(entry, attempts, await attempt(entry, context), context);
}

/** Makes a queued entry `running`; the reason for which an entry has waited ends with the wait, that for a host later. */
function announce(now: number): Announce {
  return ({ status, reason, hostAway }, attempts) =>
    status === 'queued' || (attempts === 1 && reason !== null && !hostAway)
      ? { status: 'running', reason: null, updatedAt: now }
      : null;
}

async function attempt(entry: Entry, { work, stage, trace }: StageContext): Promise<StageOutcome> {
  try {
    return await work(entry);
  } catch (error) {
    trace('stage failed', { stage, user: entry.user, number: entry.number, uuid: entry.uuid, error });
    return { kind: 'failed', error: asDeployError(error, stage) };
  }
}

function settle(entry: Entry, attempts: number, outcome: StageOutcome, context: StageContext): Promise<RunResult> {
  switch (outcome.kind) {
    case 'done':
      return finish(entry, outcome, context);
    case 'ended':
      return end(entry, outcome, context);
    case 'failed':
      return settleFailure(entry, attempts, outcome, context);
    case 'again':
      return runAgain(entry, outcome.afterSeconds, context);
    case 'waits':
      return waitForEvent(entry, outcome.atMostSeconds, context);
    case 'back':
      return goBack(entry, outcome.to, outcome.detail, context);
  }
}

type OutcomeOf<Kind extends StageOutcome['kind']> = Extract<StageOutcome, { kind: Kind }>;

function settleFailure(
  entry: Entry,
  attempts: number,
  { error, transition = {} }: OutcomeOf<'failed'>,
  context: StageContext,
): Promise<RunResult> {
  const away = nextTry(entry, error, context);
  if (away) return waitForHost(entry, away, error, context);
  const isTriedAgain = error.retry && error.host === undefined && attempts < MAX_ATTEMPTS;
  return isTriedAgain ? backOff(entry, attempts, error, context) : fail(entry, error, transition, context);
}

/** The stage is done: the next one runs, or the deploy has ended. */
async function finish(entry: Entry, outcome: OutcomeOf<'done'>, context: StageContext): Promise<RunResult> {
  const { detail = null, warning, transition = {} } = outcome;
  const now = context.clock.now();
  const next = stageAfter(entry.stage);
  const reason = next === 'start' ? await waitBeforeStart(entry, context) : null;
  const moved = await move(entry, context, (current) => ({
    ...transition,
    changes: {
      ...transition.changes,
      stages: withStage(current, { status: 'done', finishedAt: now, detail }),
      ...(next ? { stage: next } : { status: 'ok', finishedAt: now }),
      ...(warning !== undefined && { warning: maskedDetail(warning) }),
      ...(current.hostAway && { hostAway: null }),
      reason,
      updatedAt: now,
    },
  }));
  if (moved === 'outdated') return runAgain(entry, 0, context);
  if (!moved) return reportIfEnded(entry, context);
  const result = await sendOn(moved, context);
  // The commit status carries the application's name, which is known from here on.
  if (entry.appName === null && next) await context.queue.report(moved);
  return result;
}

async function end(entry: Entry, outcome: OutcomeOf<'ended'>, context: StageContext): Promise<RunResult> {
  const { status, reason, transition = {} } = outcome;
  const now = context.clock.now();
  const moved = await move(entry, context, (current) => ({
    ...transition,
    changes: {
      ...transition.changes,
      stages: withStage(current, { status: 'done', finishedAt: now, detail: reason }),
      ...ending(status, reason, now),
      ...(current.hostAway && status === 'held' && { hostAway: null }),
    },
  }));
  if (moved === 'outdated') return runAgain(entry, 0, context);
  if (moved) await context.queue.report(moved);
  return DONE;
}

async function fail(
  entry: Entry,
  error: DeployError,
  transition: Transition,
  context: StageContext,
): Promise<RunResult> {
  const now = context.clock.now();
  const moved = await move(entry, context, (current) => ({
    ...transition,
    changes: {
      ...transition.changes,
      ...failure(current, error, now),
      ...(current.hostAway && error.host === undefined && { hostAway: null }),
    },
  }));
  if (moved && moved !== 'outdated') await context.queue.report(moved);
  return DONE;
}

async function goBack(entry: Entry, to: StageName, detail: string, context: StageContext): Promise<RunResult> {
  const returns = (entry.returns ?? 0) + 1;
  if (returns > MAX_ATTEMPTS) return fail(entry, resultLost(to), {}, context);
  const now = context.clock.now();
  const moved = await move(entry, context, (current) => {
    const stages = withStage(current, { status: 'failed', finishedAt: now, detail });
    return { changes: { stage: to, returns, stages, updatedAt: now } };
  });
  return moved && moved !== 'outdated' ? sendOn(moved, context) : DONE;
}

/** Queues what comes next: a stage, or the commit status of a deploy that has ended. */
async function sendOn(entry: Entry, context: StageContext): Promise<RunResult> {
  // First: a run that fails is repeated, but on one machine not after the next stage was queued.
  if (context.stage === 'check') await overtake(entry, context);
  if (isFinal(entry.status)) await context.queue.report(entry);
  else await context.queue.send(jobOf(entry));
  return DONE;
}

/** Reports an entry again that ended or was held at this stage: the first report may be lost. */
async function repeatReport({ user, number }: Job, { log, queue, stage }: StageContext): Promise<RunResult> {
  const entry = await log.read(user, number);
  const stopped = entry && (isFinal(entry.status) || entry.status === 'held');
  if (stopped && entry.stage === stage) await queue.report(entry);
  return DONE;
}

/** This run has taken too long. If the deploy has ended meanwhile, it is closed again: the run has stored a tarball. */
async function reportIfEnded({ user, number }: Job, { log, queue }: StageContext): Promise<RunResult> {
  const entry = await log.read(user, number);
  if (entry && isFinal(entry.status)) await queue.report(entry);
  return DONE;
}

/** Sends the next stage again, whose message may be lost. An entry at a later stage shows that it was not lost. */
async function repeatSend(entry: Entry, context: StageContext): Promise<RunResult> {
  return entry.stage === stageAfter(context.stage) ? sendOn(entry, context) : DONE;
}
