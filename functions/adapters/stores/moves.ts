import type { Entry } from '../../core/entry/entry.ts';
import { closesPullRequest } from '../../core/entry/kinds.ts';
import { RECONCILED } from '../../core/entry/providers.ts';

/**
 * What an entry adds to the sum of a branch's moves: the number of the commit that the branch moved to, less that of the
 * one that it came from. The sum is the number of the tip exactly when each call continued what the others had said,
 * whatever their order: none is missing, late or doubled. A sum needs no read before its write.
 */
interface Move {
  /** The commit that the branch or the pull request is at; null when it was deleted or closed. */
  readonly tip: string | null;
  /** What the sum begins with: where a branch was before the first call, or as the host says. A pull request was nowhere. */
  readonly start: number;
  /** Null: the host itself has said where the tip is, whatever the sum was. */
  readonly by: number | null;
  readonly to: number;
}

export function moveOf(entry: Entry): Move {
  const { provider, before, sha } = entry;
  const [from, tip] = closesPullRequest(entry) ? [sha, null] : [before, sha];
  const to = numberOf(tip);
  if (provider === RECONCILED) return { tip, start: to, by: null, to };
  return { tip, start: entry.pullRequest ? 0 : numberOf(from), by: to - numberOf(from), to };
}

/** What is stored of a branch's moves: nothing before the first. */
interface Moves {
  readonly tip: string | null;
  readonly moved: number | undefined;
  /** What the sum began with. */
  readonly movedFrom: number | undefined;
}

/**
 * Whether the sum of the moves says that every call about the branch has come. A call that moves the branch to where the
 * sum began may be an earlier one than the first that came.
 */
export function isSettled({ tip, moved, movedFrom }: Moves): boolean {
  const number = numberOf(tip);
  return moved === number && (number !== movedFrom || number === 0);
}

/** The first 32 bits: sums of them are exact. */
function numberOf(sha: string | null): number {
  return sha === null ? 0 : Number.parseInt(sha.slice(0, 8), 16);
}
