import type { DeployError } from '../errors.ts';
import { missingVariable } from '../output/missing-variable.ts';
import type { RepositoryRef } from '../payload/delivery.ts';
import { SWEEP_AFTER_MS } from '../pipeline/pipeline.ts';
import type { CommitState } from '../ports/facts.ts';
import { type Entry, type EntryFields, isFinal, type StageRecord, type Status } from './entry.ts';
import type { Preview } from './kinds.ts';
import { maskedDetail, maskedTail } from './mask.ts';
import { commitStatusOf } from './outcome.ts';

export type EntryChanges = Partial<
  Omit<EntryFields, 'user' | 'number' | 'id' | 'seq' | 'order'> & Pick<Preview, 'pullRequest' | 'ci'>
>;

/**
 * A change of state: what happens to an entry, and to what is known of its commit, branch and application. Stages and
 * holds build it, and the log writes it in one transaction with its change in the feed.
 */
export interface Transition {
  readonly changes?: EntryChanges;
  readonly commitState?: Partial<Omit<CommitState, 'checks' | 'version' | 'skip'>>;
  /**
   * Refuses the transition unless the commit state has this version, so that no check result is overlooked. That of a
   * preview is the version of the results on all tracks (`checksTrackOf`).
   */
  readonly ifCommitVersion?: number;
  /** Makes the entry the active deploy of its branch, the last one in the order of its application. */
  readonly promotes?: boolean;
  /** Another name of the repository that its branch has from then on (`BranchFacts`); of an entry that is promoted. */
  readonly otherName?: RepositoryRef;
  /** Makes the entry the deploy that its application runs. */
  readonly activates?: boolean;
  /** The application was removed: it runs no deploy. */
  readonly deactivates?: boolean;
  /** Keeps the lease on the stage; otherwise the transition releases it. */
  readonly keepsLease?: boolean;
  /** Milliseconds since 1970 at which the sweeper looks at the entry, by default `SWEEP_AFTER_MS` after the change. */
  readonly dueAt?: number;
}

/**
 * Returns the entry after a transition that is change `seq` of the feed, which is the order of one that is promoted. Its
 * kind stays.
 */
export function applied(before: Entry, { changes, promotes }: Transition, seq: number): Entry {
  return { ...before, ...changes, ...(promotes && { order: seq }), seq } as Entry;
}

/**
 * Returns when the sweeper looks at an entry after a transition; null when it has ended and nothing is left to do. The
 * commit status of an entry that has ended is left, until it has been set.
 */
export function dueAfter(after: Entry, { dueAt }: Transition): number | null {
  const ended = isFinal(after.status);
  if (ended && commitStatusOf(after) === null) return null;
  return (ended ? undefined : dueAt) ?? after.updatedAt + SWEEP_AFTER_MS;
}

/**
 * Whether the entry's stage starts over with a transition: it is the next stage, or it has ended with a hold, after
 * which it runs again from its first attempt.
 */
export function startsStage(before: Entry, after: Entry): boolean {
  return before.stage !== after.stage || after.status === 'held';
}

/** Returns the changes that end an entry with an error; its current stage is the one that failed. */
export function failure(entry: Entry, error: DeployError, at: number): EntryChanges {
  const advice = adviceFor(entry, error);
  const detail = advice === '' ? maskedDetail(error.detail) : `${sentence(maskedDetail(error.detail))} ${advice}`;
  return {
    status: 'error',
    reason: detail,
    error: { code: error.code, status: error.status, detail },
    logTail: maskedTail(error.logTail),
    stages: withStage(entry, { status: 'failed', finishedAt: at, detail }),
    updatedAt: at,
    finishedAt: at,
  };
}

/** Says how to set a variable that the application misses; empty when it misses none. */
function adviceFor({ appName }: Entry, { code, detail, logTail }: DeployError): string {
  if (appName === null || (code !== 'deploy:platform:start_app' && code !== 'deploy:tar:extract_failed')) return '';
  const name = missingVariable([detail, ...logTail]);
  return name === null ? '' : `Set ${name} with "hooks env set ${name}=- --app ${appName}", also before a deploy.`;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Returns the changes that end an entry, or hold it, for a reason that is not a failure. */
export function ending(status: Status, reason: string, at: number): EntryChanges {
  return { status, reason: maskedDetail(reason), updatedAt: at, finishedAt: isFinal(status) ? at : null };
}

/** Returns the stages of an entry with the current one patched; secrets in its detail are masked. */
export function withStage(entry: Entry, patch: Partial<StageRecord>): readonly StageRecord[] {
  const detail = patch.detail && { detail: maskedDetail(patch.detail) };
  return entry.stages.map((stage) => (stage.name === entry.stage ? { ...stage, ...patch, ...detail } : stage));
}
