import { type Entry, pageAddress } from '../entry/entry.ts';
import { onceInstead } from '../entry/kinds.ts';
import { isOnBranch, trackOf } from '../entry/track.ts';
import { ending, type Transition } from '../entry/transition.ts';
import type { Job } from '../pipeline/job.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import type { CommitFacts, CommitState } from '../ports/facts.ts';
import type { DeployLog } from '../ports/log.ts';
import type { JobQueue } from '../ports/stages.ts';
import type { Clock, Trace } from '../ports/system.ts';
import { type CheckResult, ciVerdictOf, failureInWords } from './checks.ts';

export interface HoldPorts {
  readonly log: Pick<DeployLog, 'move'>;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly trace: Trace;
}

/**
 * Applies a check result that asks for no deploy to the deploy that is held for its commit, if there is one: a failed
 * check ends it, and a neutral one, or that of a merge queue, releases it when no other check is missing.
 */
export async function notifyHeldDeploy(
  entry: Entry,
  result: CheckResult,
  ports: HoldPorts & { readonly facts: Pick<CommitFacts, 'commitState'> },
): Promise<void> {
  if (!isOnBranch(entry) || result.outcome === 'pending') return;
  const { user, repository, sha } = entry;
  const state = await ports.facts.commitState(user, { ...repository, sha }, trackOf(entry));
  if (state.held !== null) await settleHeld({ user, number: state.held }, state, ports);
}

/**
 * Ends or releases a held deploy when the results of its commit say so; it `waits` when they do not. It is `outdated`
 * when it is no longer held, or its commit has had another result: then somebody else decides, or it is to be decided again.
 */
export async function settleHeld(
  held: Job,
  { checks, version }: Pick<CommitState, 'checks' | 'version'>,
  ports: HoldPorts,
): Promise<'waits' | 'settled' | 'outdated'> {
  const verdict = ciVerdictOf(checks);
  if (verdict.says !== 'failed' && verdict.says !== 'passed') return 'waits';
  const settled =
    verdict.says === 'failed'
      ? await endHeld(held, 'skipped', failureInWords(verdict.check), ports)
      : await releaseHeld(held, version, ports);
  return settled ? 'settled' : 'outdated';
}

/**
 * Releases a held deploy. Returns its entry, or null when it is no longer held or its commit has had another check
 * result since that version.
 *
 * The stage that held it runs again and decides again: only that stage knows whether a newer commit is deployed by now,
 * and it sees the results that arrive until it has decided. `deploying` names the deploy from here on, so that
 * a second passed build does not deploy the commit as well.
 */
export function releaseHeld(held: Job, version: number, ports: HoldPorts): Promise<Entry | null> {
  const now = ports.clock.now();
  return moveHeld(held, ports, (current) => ({
    changes: { status: 'running', reason: null, updatedAt: now },
    commitState: { held: null, deploying: current.number, awaitsPush: false },
    ifCommitVersion: version,
  }));
}

/**
 * Releases a held deploy because its user says so: it waits for no CI any more. Returns its entry, or null when it is
 * no longer held.
 *
 * @param token the name of the API token by which the user says so; absent: of the call that brought it
 */
export function releaseByHand(held: Job, ports: HoldPorts, token?: string): Promise<Entry | null> {
  const now = ports.clock.now();
  return moveHeld(held, ports, (current) => ({
    changes: {
      status: 'running',
      reason: null,
      updatedAt: now,
      ci: onceInstead(current.ci, 'It was released by hand'),
      ...(token !== undefined && { token }),
      ...(current.pullRequest?.fromFork && { pullRequest: { ...current.pullRequest, released: true } }),
    },
    commitState: { held: null, deploying: current.number, awaitsPush: false },
  }));
}

/** Ends the hold of a commit that another entry has deployed: there is nothing left to wait for. */
export async function endHoldOfDeployed(
  live: Entry,
  ports: HoldPorts & { readonly facts: Pick<CommitFacts, 'commitState'> },
): Promise<void> {
  if (!isOnBranch(live)) return;
  const { user, repository, sha } = live;
  const { held } = await ports.facts.commitState(user, { ...repository, sha }, trackOf(live));
  if (held === null || held === live.number) return;
  const reason = `The commit was deployed by ${pageAddress(live.base, live)}, without waiting any longer.`;
  await endHeld({ user, number: held }, 'superseded', reason, ports);
}

/**
 * Ends a held deploy without deploying it. Returns its entry, or null when it is no longer held. The commit of a preview
 * still names it afterwards: a build that passes later has it deployed, unless it was superseded (`notifyPreviews`).
 */
export function endHeld(
  held: Job,
  status: 'skipped' | 'expired' | 'superseded',
  reason: string,
  ports: HoldPorts,
): Promise<Entry | null> {
  const now = ports.clock.now();
  return moveHeld(held, ports, ({ pullRequest }) => ({
    changes: ending(status, reason, now),
    ...(!pullRequest && { commitState: { held: null } }),
  }));
}

/** Moves an entry that is still held, queues its stage when it was released, and has its commit status updated. */
async function moveHeld(
  { user, number }: Job,
  ports: HoldPorts,
  decide: (held: Entry) => Transition,
): Promise<Entry | null> {
  let isHeld = false;
  const moved = await ports.log.move(user, number, (current) => {
    isHeld = current.status === 'held';
    return isHeld ? decide(current) : null;
  });
  if (!moved || !isHeld) return null;
  if (moved.status === 'running') await queueStage(moved, ports);
  await ports.queue.report(moved);
  return moved;
}
