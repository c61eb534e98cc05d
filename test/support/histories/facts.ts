import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../../functions/core/ports/sender.ts';
import type { Mark, Step } from './history.ts';

export interface Commit {
  readonly ref: CommitRef;
  /** Its name in a report. */
  readonly letter: string;
  readonly parent: Commit | null;
  readonly mark: Mark;
}

export interface Pull {
  readonly number: number;
  readonly fromFork: boolean;
  readonly draft: boolean;
  readonly isOpen: boolean;
  readonly merged: boolean;
  readonly head: Commit;
}

/** The repository from a time on. */
export interface HostState {
  readonly at: number;
  readonly tip: Commit | null;
  readonly pulls: ReadonlyMap<number, Pull>;
}

export interface RunSaid extends Pick<Step, 'check' | 'outcome'> {
  readonly kind: 'run';
  readonly commit: Commit;
  /** Whether it is of the branch that is deployed: not of a pull request's, nor of a merge queue. */
  readonly ofBranch: boolean;
  readonly attempt: number;
  /** Whether the call tells the attempt: otherwise the last one counts. */
  readonly isOrdered: boolean;
  /** Whether the call has another name of the repository than before, and no id by which that is known to be the same. */
  readonly isUnknown: boolean;
}

/** What a call tells. */
export type Said =
  | { readonly kind: 'push'; readonly commit: Commit | null; readonly before: Commit | null }
  | RunSaid
  | { readonly kind: 'pull'; readonly pull: Pull; readonly commit: Commit; readonly before: Commit | null }
  | { readonly kind: 'other'; readonly commit: null };

export interface Call {
  readonly id: string;
  readonly said: Said;
  readonly hook: HookCall;
  /** For a report. */
  readonly title: string;
}

/** Whether a commit is another one or an ancestor of it. */
export function isOn(commit: Commit, tip: Commit | null): boolean {
  for (let at = tip; at; at = at.parent) if (at === commit) return true;
  return false;
}
