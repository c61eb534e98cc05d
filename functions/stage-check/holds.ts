import type { EntryChanges, Transition } from '../core/entry/transition.ts';
import { endHeld } from '../core/hold/hold.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import { DAY_MS, isStrange } from '../core/preview/preview.ts';
import { ended, type Facts, otherEntry, type PreviewEntry } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/** Held until somebody releases it: no result of CI does. */
export async function forkNeedsRelease(
  { entry, named }: Facts<PreviewEntry>,
  { clock, previewDays }: CheckPorts,
): Promise<StageOutcome | null> {
  if (!isStrange(entry)) return null;
  const reason =
    `The pull request #${entry.pullRequest.number} is from a fork: its preview runs a stranger's code with your variables. ` +
    'Read the commit, then release it with "hooks release" or on the page.';
  const { changes } = await named();
  return held(entry.number, { reason, changes, expiresAt: clock.now() + previewDays * DAY_MS });
}

/** Held until a CI provider calls with a passed build. */
export async function ciPending({ entry, state, named, wait }: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const waitsFor = (await wait()).for;
  if (waitsFor === null) return null;
  const reason = `Waiting for ${waitsFor} to call with a passed build of this commit.`;
  const { changes } = await named();
  const before = await otherEntry(entry, state.held, ports);
  // Results are known by the commit, which names one entry only.
  if (before?.status === 'held') {
    await endHeld(before, 'superseded', `The same commit waits in #${entry.number} now.`, ports);
  }
  const expiresAt = ports.clock.now() + ports.holdMinutes * 60_000;
  return held(entry.number, { reason, changes, expiresAt, ifCommitVersion: state.version });
}

interface Hold extends Pick<Transition, 'ifCommitVersion'> {
  readonly reason: string;
  readonly changes: EntryChanges;
  readonly expiresAt: number;
}

function held(number: number, { reason, changes, expiresAt, ...based }: Hold): StageOutcome {
  const transition = { changes: { ...changes, expiresAt }, commitState: { held: number }, ...based, dueAt: expiresAt };
  return ended('held', reason, transition);
}
