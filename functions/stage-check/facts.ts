import type { Entry, Status } from '../core/entry/entry.ts';
import type { Operated, Preview } from '../core/entry/kinds.ts';
import type { Manifest } from '../core/entry/manifest.ts';
import type { OnBranch } from '../core/entry/track.ts';
import type { EntryChanges, Transition } from '../core/entry/transition.ts';
import type { DeployError } from '../core/errors.ts';
import type { CiVerdict } from '../core/hold/checks.ts';
import type { Wait } from '../core/hold/wait.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { BranchFacts, CommitState } from '../core/ports/facts.ts';
import type { Comparison } from '../core/ports/repository-host.ts';
import type { CheckPorts } from './ports.ts';

/** Decides on an entry, or leaves the decision to the next rule: null. */
export type Rule<E extends CommitEntry = CommitEntry> = (
  facts: Facts<E>,
  ports: CheckPorts,
) => Promise<StageOutcome | null> | StageOutcome | null;

/** An entry of a commit on a branch. */
export type CommitEntry = Exclude<Entry, Operated> & OnBranch;

export type PreviewEntry = Extract<CommitEntry, Preview>;

/** The application that a commit is deployed as. */
export interface NamedApp {
  /** The entry; that of a preview names its parent. */
  readonly entry: Entry;
  readonly manifest: Manifest;
  /** The platform's name of it. */
  readonly app: string;
  /** What the entry keeps of it. */
  readonly changes: EntryChanges;
}

/** Whether an entry may deploy its application. */
export interface Ownership {
  readonly refused: DeployError | null;
  /** The application that it would replace belongs to another repository. */
  readonly isForeign?: true;
  /** What the application has from now on, another repository name or branch, as parts of a sentence. */
  readonly notes: readonly string[];
}

/** The commit that the branch, or the head of the pull request, is at now. */
export interface Tip {
  /** Null when it was deleted or closed. */
  readonly sha: string | null;
  /** Whether the host may have another answer soon: this one may be a little older than the calls. */
  readonly isProvisional: boolean;
}

/**
 * What is known of an entry while it is decided on. A fact that costs a request or a read is a function: the first rule
 * that needs it has it fetched, once.
 */
export interface Facts<E extends CommitEntry = CommitEntry> {
  readonly entry: E;
  readonly state: CommitState;
  /** The combined CI result; `nothing` when the push or its hook ignores CI. */
  readonly verdict: CiVerdict;
  readonly track: () => Promise<BranchFacts>;
  readonly tip: () => Promise<Tip>;
  /** The position of that relative to the entry's commit; null when there is none, or it is not known. */
  readonly ancestry: () => Promise<Comparison | null>;
  /** Throws `deploy:repohost:no_pkg_json` when its package.json is not readable. */
  readonly named: () => Promise<NamedApp>;
  /** Throws as `waitOf` does. */
  readonly wait: () => Promise<Wait>;
  /** Whether it may deploy the application, which it claims with that. */
  readonly ownership: () => Promise<Ownership>;
  /** The deploy of the branch that is unfinished, if there is one. */
  readonly unfinished: () => Promise<Entry | null>;
}

/** Returns the outcome of an entry that ends for a reason that is not a failure. */
export function ended(status: Status, reason: string, transition?: Transition): StageOutcome {
  return { kind: 'ended', status, reason, ...(transition && { transition }) };
}

/** Reads an entry; null for none, and for the given one itself. */
export async function otherEntry(
  { user, number }: Entry,
  other: number | null,
  { log }: Pick<CheckPorts, 'log'>,
): Promise<Entry | null> {
  return other === null || other === number ? null : log.read(user, other);
}
