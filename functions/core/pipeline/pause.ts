import type { Entry, HostAway } from '../entry/entry.ts';
import { maskedDetail } from '../entry/mask.ts';
import type { DeployError } from '../errors.ts';
import { LONGEST_RETRY_AFTER_SECONDS, waitInWords } from './host-away.ts';
import { SWEEP_AFTER_MS, timeoutMs } from './pipeline.ts';
import { move, type RunResult, type StageContext } from './stage-context.ts';
import { MAX_ATTEMPTS } from './stage-failure.ts';

const DONE: RunResult = { done: true };

/** Releases the claim without counting the attempt; the message runs the stage again. */
export async function runAgain(
  { user, number }: Entry,
  afterSeconds: number,
  context: StageContext,
): Promise<RunResult> {
  await context.log.releaseClaim({ user, number, stage: context.stage }, dueIn(afterSeconds, context));
  return { done: false, visibleInSeconds: afterSeconds };
}

/** Releases the claim without counting the attempt. Meanwhile no message of the entry holds up its repository. */
export async function waitForEvent(
  { user, number }: Entry,
  seconds: number,
  context: StageContext,
): Promise<RunResult> {
  const dueAt = context.clock.now() + seconds * 1000;
  await context.log.releaseClaim({ user, number, stage: context.stage }, dueAt);
  return DONE;
}

/** Leaves the entry as it is, but for what it waits for. Long pauses are left to the sweep (`pauseUntil`). */
export async function waitForHost(
  entry: Entry,
  hostAway: HostAway,
  error: DeployError,
  context: StageContext,
): Promise<RunResult> {
  const now = context.clock.now();
  const changes = { hostAway, reason: waitInWords(error, hostAway), updatedAt: now };
  const dueAt = now + timeoutMs(entry.stage) + SWEEP_AFTER_MS;
  await move(entry, context, () => ({ changes, keepsLease: true, dueAt }));
  return pauseUntil(entry, hostAway.next, context);
}

/**
 * Releases the claim without counting the attempt. A short pause is that of the message; for a long one the message is
 * done and the sweep sends another: in a FIFO queue it would lock out the other entries of its repository, and each
 * receive of it counts.
 */
export async function pauseUntil(entry: Entry, next: number, context: StageContext): Promise<RunResult> {
  const seconds = Math.ceil((next - context.clock.now()) / 1000);
  return seconds * 1000 < SWEEP_AFTER_MS ? runAgain(entry, seconds, context) : waitForEvent(entry, seconds, context);
}

/**
 * Runs the stage again after a back-off with full jitter, or after the delay that the other side asked for
 * (https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/).
 */
export async function backOff(
  entry: Entry,
  attempts: number,
  error: DeployError,
  context: StageContext,
): Promise<RunResult> {
  const ceiling = context.retryBaseSeconds * 2 ** (attempts - 1);
  const jittered = Math.max(1, Math.round(ceiling * context.ids.fraction()));
  const seconds = Math.max(jittered, Math.min(error.retryAfter ?? 0, LONGEST_RETRY_AFTER_SECONDS));
  const reason = `${maskedDetail(error.detail)} Trying again in ${seconds} s (try ${attempts} of ${MAX_ATTEMPTS}).`;
  const changes = { reason, updatedAt: context.clock.now() };
  await move(entry, context, () => ({ changes, dueAt: dueIn(seconds, context) }));
  return { done: false, visibleInSeconds: seconds };
}

function dueIn(seconds: number, { clock }: StageContext): number {
  return clock.now() + seconds * 1000 + SWEEP_AFTER_MS;
}
