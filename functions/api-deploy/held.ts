import { type Entry, ended } from '../core/entry/entry.ts';
import { type CheckResult, failureInWords, verdictOf } from '../core/hold/checks.ts';
import { jobOf } from '../core/pipeline/job.ts';
import { PATIENCE } from '../core/pipeline/stage.ts';
import type { Step } from '../core/ports/deploy-log.ts';
import type { AcceptPorts } from './ports.ts';

/**
 * What a check that asks for no deploy means for the push that waits: a failed one ends it; one that came to nothing may
 * have been the last in its way.
 */
export async function tellHeld(entry: Entry, result: CheckResult, ports: AcceptPorts): Promise<void> {
  const { user, repository, sha, branch } = entry;
  if (!repository || !sha || !branch || (result.outcome !== 'failed' && result.outcome !== 'neutral')) return;
  const { held, checks, version } = await ports.facts.gate(user, { ...repository, sha }, branch);
  if (held === null) return;
  if (result.outcome === 'failed') await refuse(user, held, result, ports);
  else if (verdictOf(checks).says === 'passed') await wake(user, held, version, ports);
}

/** The stored entry's first stage. When its message cannot be sent now, the sweeper sends it. */
export async function send(entry: Entry, { queue, trace }: AcceptPorts): Promise<void> {
  try {
    await queue.send(jobOf(entry));
  } catch (error) {
    trace('first stage not queued', { uuid: entry.uuid, user: entry.user, number: entry.number, error });
  }
}

/** CI did not pass: the push that waits for it will never be deployed. */
async function refuse(user: string, held: number, result: CheckResult, ports: AcceptPorts): Promise<void> {
  const now = ports.clock.now();
  const moved = await moveHeld(user, held, ports, (current) => ({
    entry: ended(current, 'skipped', failureInWords(result), now),
    gate: { held: null },
    due: now,
  }));
  if (moved) await ports.queue.report(moved);
}

/** Nothing is in the way any more: the push is looked at again, and finds that CI has passed. */
async function wake(user: string, held: number, version: number, ports: AcceptPorts): Promise<void> {
  const now = ports.clock.now();
  const moved = await moveHeld(user, held, ports, (current) => ({
    entry: { ...current, status: 'running', reason: null, updatedAt: now },
    gate: { held: null },
    ifVersion: version,
    due: now + PATIENCE,
  }));
  if (moved) await send(moved, ports);
}

/** Moves an entry that is still held; null when it is not. */
async function moveHeld(user: string, number: number, { log }: AcceptPorts, step: (held: Entry) => Step) {
  let isHeld = false;
  const moved = await log.move(user, number, (current) => {
    isHeld = current.status === 'held';
    return isHeld ? step(current) : null;
  });
  return isHeld ? moved : null;
}
