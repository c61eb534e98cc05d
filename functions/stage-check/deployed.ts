import { commitName, type Entry, isAlive, isFinal } from '../core/entry/entry.ts';
import { MANUAL, RECONCILED } from '../core/entry/providers.ts';
import { checkInWords } from '../core/hold/checks.ts';
import { endHeld, releaseHeld } from '../core/hold/hold.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import { ended, type Facts, otherEntry } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/**
 * Ends the entry of a passed build when something else deploys its commit: another check has not passed yet, a held
 * push is released, or the commit is deployed already. A commit can be on two deployed branches; the state is the one of
 * the build's branch.
 */
export async function deployedByBuild(facts: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const { entry, state, verdict } = facts;
  if (verdict.says === 'pending') {
    return ended(
      'skipped',
      `The build passed, but nothing is deployed before ${checkInWords(verdict.check)} has passed as well.`,
    );
  }
  const held = state.held === null ? null : await ports.log.read(entry.user, state.held);
  if (held?.status === 'held' && commitName(held)?.toLowerCase() !== commitName(entry)?.toLowerCase()) {
    await endHeld(
      held,
      'superseded',
      `The repository has another name now: the build deploys it as #${entry.number}.`,
      ports,
    );
  } else if (held?.status === 'held') {
    const released = await releaseHeld(held, state.version, ports);
    // The hold has ended in the meantime, or another check has reported: decide again.
    if (!released) return { kind: 'again', afterSeconds: 0 };
    return ended('skipped', `The build passed and released the deploy that waited for it: #${held.number}.`);
  }
  const other = await otherEntry(entry, state.deploying, ports);
  if (other?.status === 'cancelled') {
    return ended('skipped', `The build passed, but the deploy of this commit was cancelled: #${other.number}.`);
  }
  return other && (await stands(other, facts))
    ? ended('skipped', `The build passed; this commit is deployed by #${other.number}.`)
    : null;
}

/**
 * Ends a push whose commit came without it: deployed by the entry of a passed build, or found at the tip of its branch.
 * Manual requests are carried out nevertheless.
 */
export async function deployedBeforePush(facts: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const { entry, state } = facts;
  if (entry.provider === MANUAL || entry.provider === RECONCILED) return null;
  const waiting = await otherEntry(entry, state.held, ports);
  if (waiting?.status === 'held' && waiting.provider === RECONCILED) {
    return ended('skipped', `The commit was found before its webhook called, and waits for CI in #${waiting.number}.`);
  }
  const other = state.awaitsPush ? await otherEntry(entry, state.deploying, ports) : null;
  if (!other || !(await stands(other, facts))) return null;
  const first =
    other.kind === 'build' ? 'The passed build came first' : 'The commit was found before its webhook called';
  return ended('skipped', `${first}; it is deployed by #${other.number}.`, { commitState: { awaitsPush: false } });
}

/** Ends a commit that was found although its webhook called. */
export async function calledMeanwhile({ entry, state }: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  if (entry.provider !== RECONCILED) return null;
  const called = await otherEntry(entry, state.deploying ?? state.held, ports);
  // The head commit of a pull request that was reopened: what deployed it has ended, and was removed since.
  if (!called || (entry.forced && isFinal(called.status))) return null;
  return ended('skipped', `The commit's webhook called while it was being found: #${called.number}.`);
}

/** Whether a deploy is under way or live. If its branch has another active deploy by now, it was moved back since. */
async function stands({ number, status }: Entry, { track }: Facts): Promise<boolean> {
  return isAlive(status) && (!isFinal(status) || (await track()).activeDeploy?.number === number);
}
