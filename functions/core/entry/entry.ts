import type { ErrorCode } from '../errors.ts';
import type { RepositoryRef } from '../payload/delivery.ts';
import type { StageName } from '../pipeline/pipeline.ts';

/** What became of a request. `ok`, `error`, `expired`, `skipped`, `duplicate` and `superseded` are final. */
export type Status =
  | 'queued'
  | 'running'
  | 'held'
  | 'ok'
  | 'error'
  | 'expired'
  | 'skipped'
  | 'duplicate'
  | 'superseded';

const unfinished: readonly Status[] = ['queued', 'running', 'held'];

/** Whether an entry of that status never changes again. */
export function isFinal(status: Status): boolean {
  return !unfinished.includes(status);
}

/** Whether an entry of that status deploys or has deployed: not held, and not ended in any other way. */
export function isAlive(status: Status): boolean {
  return status === 'queued' || status === 'running' || status === 'ok';
}

/** One stage as the entry's document shows it. Times are milliseconds since 1970. */
export interface StageRecord {
  readonly name: StageName;
  readonly status: 'running' | 'done' | 'failed';
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly attempts: number;
  readonly detail: string | null;
}

/** Why a deploy failed. */
export interface EntryError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
}

/** What somebody has decided about waiting for CI, and where: one sentence's beginning, such as `The commit's message says [skip ci]`. */
export interface CiChoice {
  readonly waits: boolean;
  readonly because: string;
}

/** The staged tarball of a deploy. */
export interface StagedTarball {
  readonly key: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** What the push or build was about; null for a call that concerns no commit. */
export interface EntryRepository extends RepositoryRef {
  readonly url: string | null;
  readonly private: boolean;
}

/**
 * An entry of the log: one per API request that concerns a deployment. What the pipeline must know to go on is in it,
 * so that an entry is all that a deploy needs to survive. Times are milliseconds since 1970.
 */
export interface Entry {
  readonly user: string;
  /** The user's entries are numbered from 1, without gaps, in the order in which they were accepted. */
  readonly number: number;
  /** 32 digits: 20 random hex digits, then the number as 12 decimal ones. */
  readonly id: string;
  readonly uuid: string;
  /** The service's address as the request met it; commit statuses point there. */
  readonly base: string;
  readonly appName: string | null;
  readonly status: Status;
  readonly provider: string;
  readonly repository: EntryRepository | null;
  readonly sha: string | null;
  readonly branch: string | null;
  readonly ref: string | null;
  readonly before: string | null;
  readonly forced: boolean;
  readonly message: string | null;
  readonly author: string | null;
  readonly delivery: string | null;
  readonly receivedAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** One sentence for every status that is not `ok`. */
  readonly reason: string | null;
  readonly error: EntryError | null;
  readonly stages: readonly StageRecord[];
  readonly snapshot: string | null;
  /** Where the application answers. */
  readonly url: string | null;
  readonly logTail: readonly string[];
  /** Number of the last change of this entry in the user's feed. */
  readonly seq: number;
  /** The stage whose turn it is. */
  readonly stage: StageName;
  readonly tarball: StagedTarball | null;
  /** What the platform is told of the package manifest. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
  /** Whether a CI provider's passed build made this entry, so that there is nothing to wait for. */
  readonly fromBuild: boolean;
  /** Absent: whether it waits for CI is told by the repository. */
  readonly ci?: CiChoice;
  /**
   * Its order among the user's deploys: the number of the change after which it was promoted; absent before. Not its
   * number, because a push that has waited for CI is promoted after deploys with higher numbers.
   */
  readonly order?: number;
  /** How often a stage had to be repeated because what it had made was gone; absent when never. */
  readonly returns?: number;
}

/** The address of an entry. */
export function entryAddress(base: string, entry: Pick<Entry, 'user' | 'id'>): string {
  return `${base}/1/status/${encodeURIComponent(entry.user)}/changes/${entry.id}`;
}

/** The id of an entry: it carries its number, so that an address resolves with one read, and cannot be guessed. */
export function entryId(random: string, number: number): string {
  return `${random}${String(number).padStart(12, '0')}`;
}

/** The number in an id; null when it is not of that form. */
export function entryNumber(id: string): number | null {
  return /^[0-9a-f]{20}[0-9]{12}$/.test(id) ? Number(id.slice(20)) : null;
}

/** `<owner>/<repository>/<sha>`, as far as it is known. */
export function commitName(entry: Entry): string | null {
  const { repository, sha } = entry;
  if (!repository) return null;
  return [repository.owner, repository.name, ...(sha ? [sha] : [])].join('/');
}
