import { type Entry, isAlive } from '../core/entry/entry.ts';
import { type CiVerdict, checkInWords } from '../core/hold/checks.ts';
import { releaseHeld } from '../core/hold/hold.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { CommitState } from '../core/ports/facts.ts';
import type { CheckPorts } from './ports.ts';

/**
 * Returns how the entry of a passed build ends when something else deploys its commit: another check has not passed
 * yet, a held push is released, or the commit is deployed already. Returns null when the build's own entry deploys it.
 * A commit can be on two deployed branches; `state` is the one of the build's branch.
 */
export async function withoutOwnDeploy(
  entry: Entry,
  verdict: CiVerdict,
  state: CommitState,
  ports: CheckPorts,
): Promise<StageOutcome | null> {
  if (verdict.says === 'pending') {
    return skipped(
      `The build passed, but nothing is deployed before ${checkInWords(verdict.check)} has passed as well.`,
    );
  }
  const held = state.held === null ? null : await ports.log.read(entry.user, state.held);
  if (held?.status === 'held') {
    const released = await releaseHeld(held, state.version, ports);
    // The hold has ended in the meantime, or another check has reported: decide again.
    if (!released) return { kind: 'again', afterSeconds: 0 };
    return skipped(`The build passed and released the deploy that waited for it: #${held.number}.`);
  }
  if (state.deploying === null || state.deploying === entry.number) return null;
  const other = await ports.log.read(entry.user, state.deploying);
  if (other?.status === 'cancelled') {
    return skipped(`The build passed, but the deploy of this commit was cancelled: #${other.number}.`);
  }
  if (!other || !isAlive(other.status)) return null;
  return skipped(`The build passed; this commit is deployed by #${other.number}.`);
}

function skipped(reason: string): StageOutcome {
  return { kind: 'ended', status: 'skipped', reason };
}
