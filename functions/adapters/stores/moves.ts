import { type Entry, RECONCILED } from '../../core/entry/entry.ts';
import { closesPullRequest } from '../../core/entry/kinds.ts';

/**
 * What an entry adds to the sum of a branch's moves: the number of the commit that the branch moved to, less that of the
 * one that it came from. The sum is the number of the tip exactly when each call continued what the others had said,
 * whatever their order: none is missing, late or doubled. A sum needs no read before its write.
 */
interface Move {
  /** The commit that the branch or the pull request is at; null when it was deleted or closed. */
  readonly tip: string | null;
  /** What the sum begins with: where a branch was before the first call. A pull request was nowhere. */
  readonly start: number;
  /** Null: the host itself has said where the tip is, whatever the sum was. */
  readonly by: number | null;
  readonly to: number;
}

export function moveOf(entry: Entry): Move {
  const { provider, before, sha } = entry;
  const [from, tip] = closesPullRequest(entry) ? [sha, null] : [before, sha];
  const to = numberOf(tip);
  const by = provider === RECONCILED ? null : to - numberOf(from);
  return { tip, start: entry.pullRequest ? 0 : numberOf(from), by, to };
}

/** Whether the sum of the moves says that every call about the branch has come. */
export function isSettled(moved: number | undefined, tip: string | null): boolean {
  return moved === numberOf(tip);
}

/** The first 32 bits: sums of them are exact. */
function numberOf(sha: string | null): number {
  return sha === null ? 0 : Number.parseInt(sha.slice(0, 8), 16);
}
