import { nameFor } from '../entry/app-owner.ts';
import type { CiChoice, Kind, PullRequestOf } from '../entry/kinds.ts';

export const DAY_MS = 24 * 3_600_000;

/** The most previews of an application at a time. */
export const MOST_PREVIEWS = 20;

/** Returns the name of the application that previews a pull request, from the name of its parent in package.json. */
export function previewName(parent: string, number: number): string {
  return nameFor(parent, { pullRequest: { number } });
}

/** Whether an entry is of a fork's commit that nobody has let go. */
export function isStrange({ pullRequest }: Kind): boolean {
  return pullRequest?.fromFork === true && !pullRequest.released;
}

/** Returns whether a preview waits for CI: where the hook's address says so, unless it waits for a person anyway. */
export function previewCi({ ci, fromFork }: Pick<PullRequestOf, 'ci' | 'fromFork'>): CiChoice {
  if (ci && !fromFork) return { waits: true, because: "the hook's address says previews=ci", from: 'hook' };
  return { waits: false, because: 'A preview waits for no CI', from: 'hook' };
}
