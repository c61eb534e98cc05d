import { forEachLimit } from '../core/concurrency.ts';
import { type Entry, isFinal } from '../core/entry/entry.ts';
import { ignoresCi } from '../core/entry/kinds.ts';
import { checksTrackOf, isOnBranch } from '../core/entry/track.ts';
import { failure } from '../core/entry/transition.ts';
import { DeployError } from '../core/errors.ts';
import { endHeld, settleHeld } from '../core/hold/hold.ts';
import { type Job, jobOf } from '../core/pipeline/job.ts';
import { FINDINGS, stageCode, stageWord } from '../core/pipeline/pipeline.ts';
import type { CommitFacts } from '../core/ports/facts.ts';
import type { Backlog, DeployLog } from '../core/ports/log.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock, Trace } from '../core/ports/system.ts';
import { isStrange } from '../core/preview/preview.ts';

interface SweepPorts {
  readonly log: DeployLog;
  readonly facts: Pick<CommitFacts, 'commitState'>;
  readonly backlog: Backlog;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly holdMinutes: number;
  readonly trace: Trace;
}

/** The time until the sweeper looks at the same entry again. */
const SWEEP_AGAIN_AFTER_MS = 5 * 60_000;
/** The time without any transition after which a deploy has failed, whatever its queues contain. */
const GIVE_UP_AFTER_MS = 120 * 60_000;
/** Longer than a stage may rightly wait: an hour, if the other side asked for it (`Retry-After`). An alarm counts the lines. */
const LATE_AFTER_MS = 70 * 60_000;
/** Longer than a message is tried before it moves to the dead-letter queue, so that they do not pile up. */
const REPORT_AGAIN_AFTER_MS = 20 * 60_000;
/** A commit status is tried twelve times in that. */
const STATUS_LATE_AFTER_MS = 30 * 60_000;
/** A commit status that could not be set within this time is out of date. */
const GIVE_UP_STATUS_AFTER_MS = 24 * 3_600_000;
const BATCH_SIZE = 1000;
const MOST_AT_A_RESTART = 10_000;
/** Entries that are read, and message groups that are worked on, at a time. */
const AT_ONCE = 10;
/** A run begins no page after that time, which is less than its function has. What is left stays due, for the next run. */
const RUN_MS = 4 * 60_000;
/** Entries that are read before they are worked on: what was read long ago is out of date. */
const PAGE_SIZE = 100;

/**
 * Looks at the entries that are due: queues their stages again, ends holds that were not released and deploys that have
 * not moved for two hours, and has commit statuses set whose messages were lost. With `everything` it looks at all
 * of them, due or not, for a start after the queues were lost. Returns the number of entries that it looked at.
 */
export function sweep(ports: SweepPorts, everything = false): Promise<number> {
  const until = everything ? Number.MAX_SAFE_INTEGER : ports.clock.now();
  const limit = everything ? MOST_AT_A_RESTART : BATCH_SIZE;
  return forEachDue(ports, { until, limit }, (entry) => lookAfter(entry, ports, everything));
}

/** Works on the entries that are due, in their order, and on those of several message groups at a time. */
async function forEachDue(
  ports: SweepPorts,
  { until, limit }: { readonly until: number; readonly limit: number },
  work: (entry: Entry) => Promise<void>,
): Promise<number> {
  const jobs = await ports.backlog.due(until, limit);
  // In the order of the entries, which queuing them again must not change.
  const inOrder = [...jobs].sort((one, other) => one.number - other.number);
  const endAt = ports.clock.now() + RUN_MS;
  for (let from = 0; from < inOrder.length; from += PAGE_SIZE) {
    if (ports.clock.now() > endAt) return from;
    const groups = byGroup(await readAll(inOrder.slice(from, from + PAGE_SIZE), ports));
    await forEachLimit(groups, AT_ONCE, async (entries) => {
      for (const entry of entries) await reporting(entry, ports, () => work(entry));
    });
  }
  return jobs.length;
}

/** Returns the entries of the jobs in their order, without those that cannot be read. */
async function readAll(jobs: readonly Job[], ports: SweepPorts): Promise<readonly Entry[]> {
  const entries: (Entry | null)[] = [];
  await forEachLimit(jobs.entries(), AT_ONCE, ([place, job]) =>
    reporting(job, ports, async () => {
      entries[place] = await ports.log.read(job.user, job.number);
    }),
  );
  return entries.filter((entry) => entry != null);
}

/** One entry that fails must not stop the others. */
async function reporting({ user, number }: Job, { trace }: SweepPorts, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => trace('sweep failed', { user, number, error }));
}

/** The messages of a group must keep their order; those of others do not wait for them. */
function byGroup(entries: readonly Entry[]): Iterable<readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { group } = jobOf(entry);
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  return groups.values();
}

async function lookAfter(entry: Entry, ports: SweepPorts, everything: boolean): Promise<void> {
  if (isFinal(entry.status)) return lookAfterEnded(entry, ports);
  const now = ports.clock.now();
  // Its `pending` may be lost too; nothing else sets it for as long as the entry does not move.
  if (everything && entry.appName !== null) await ports.queue.report(entry);
  if (entry.status === 'held') return lookAfterHeld(entry, ports);
  const still = now - movedAt(entry);
  if (still > GIVE_UP_AFTER_MS && !everything) return giveUp(entry, ports);
  if (still > LATE_AFTER_MS) ports.trace(FINDINGS.deploy, { ...named(entry), stage: entry.stage });
  await resend(entry, ports, everything);
}

/** An entry that has ended is due for as long as its commit status has not been set. */
async function lookAfterEnded(entry: Entry, { backlog, queue, clock, trace }: SweepPorts): Promise<void> {
  const now = clock.now();
  if (now > entry.updatedAt + GIVE_UP_STATUS_AFTER_MS) {
    trace('commit status given up', named(entry));
    return backlog.close(entry);
  }
  if (now > entry.updatedAt + STATUS_LATE_AFTER_MS) trace(FINDINGS.status, named(entry));
  await backlog.postpone(entry, now + REPORT_AGAIN_AFTER_MS, false);
  await queue.report(entry);
}

async function lookAfterHeld(entry: Entry, ports: SweepPorts): Promise<void> {
  if (await settledByCi(entry, ports)) return;
  // The time that its user was shown, even if HOLD_MINUTES has changed since. Holds of earlier versions do not have it.
  const end = entry.expiresAt ?? entry.updatedAt + ports.holdMinutes * 60_000;
  const minutes = Math.round((end - entry.updatedAt) / 60_000);
  const reason = isStrange(entry)
    ? `Nobody has released it within ${Math.round(minutes / (24 * 60))} days.`
    : `No CI provider called with a passed build within ${minutes} minutes.`;
  if (ports.clock.now() >= end) await endHeld(entry, 'expired', reason, ports);
  // Looked at too early. Postponed, so that it does not block the front of the backlog.
  else await ports.backlog.postpone(entry, end, false);
}

/** The call that brought the last result may have died after that was stored, and before it released or ended the hold. */
async function settledByCi(entry: Entry, ports: SweepPorts): Promise<boolean> {
  if (!isOnBranch(entry) || ignoresCi(entry)) return false;
  const { user, repository, sha } = entry;
  const state = await ports.facts.commitState(user, { ...repository, sha }, checksTrackOf(entry));
  return (await settleHeld(entry, state, ports)) !== 'waits';
}

function named({ user, number, uuid }: Entry): Pick<Entry, 'user' | 'number' | 'uuid'> {
  return { user, number, uuid };
}

/** A stage that began after the last transition did so after a restart. */
function movedAt({ updatedAt, stages }: Entry): number {
  return Math.max(updatedAt, ...stages.flatMap(({ status, startedAt }) => (status === 'running' ? [startedAt] : [])));
}

async function giveUp(entry: Entry, { log, queue, clock }: SweepPorts): Promise<void> {
  const now = clock.now();
  const detail = `The deploy did not move for ${GIVE_UP_AFTER_MS / 60_000} minutes in the stage "${stageWord(entry.stage)}".`;
  const error = new DeployError(stageCode(entry.stage), detail, { retry: false });
  const moved = await log.move(entry.user, entry.number, (current) =>
    current.seq === entry.seq ? { changes: failure(current, error, now) } : null,
  );
  if (moved?.status === 'error') await queue.report(moved);
}

/** The message may be lost or only late. A second one has no effect, because it finds the stage claimed or done. */
async function resend(entry: Entry, { backlog, queue, clock }: SweepPorts, everything: boolean): Promise<void> {
  await backlog.postpone(entry, clock.now() + SWEEP_AGAIN_AFTER_MS, everything);
  await queue.send(jobOf(entry));
}
