import type { Settings } from '../apps/settings.ts';
import type { ErrorCode } from '../errors.ts';
import type { RepositoryRef } from '../payload/delivery.ts';
import type { StageName } from '../pipeline/pipeline.ts';
import { type Kind, kindOf, type WithoutKind } from './kinds.ts';

/**
 * The status of an entry. `queued`, `running` and `held` are unfinished, all others final: no stage runs any more. Of
 * these only `ok` and `crashed` become each other, when the running application crashes or answers again.
 */
export type Status =
  | 'queued'
  | 'running'
  | 'held'
  | 'ok'
  | 'crashed'
  | 'error'
  | 'expired'
  | 'skipped'
  | 'duplicate'
  | 'superseded'
  | 'cancelled';

export const FINAL_STATUSES: readonly string[] = [
  'ok',
  'crashed',
  'error',
  'expired',
  'skipped',
  'duplicate',
  'superseded',
  'cancelled',
] satisfies Status[];

/** Returns whether the deploy of an entry of that status has ended. A status of a later version is not known to be final. */
export function isFinal(status: string): boolean {
  return FINAL_STATUSES.includes(status);
}

/** Returns whether an entry of that status deploys or has deployed: it is not held and has not ended otherwise. */
export function isAlive(status: Status): boolean {
  return status === 'queued' || status === 'running' || status === 'ok' || status === 'crashed';
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

interface EntryError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
}

/** The time in which a stage has waited for its repository host. Milliseconds since 1970. */
export interface HostAway {
  /** The first try that failed. */
  readonly since: number;
  /** The first one of those tries, up to the last, at which the host did not know the commit; absent when it was away. */
  readonly unknownSince?: number;
  /** The next try. */
  readonly next: number;
}

interface StagedTarball {
  readonly key: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The repository of an entry, as the sender described it; its id is that of its host, if the sender has it. */
interface EntryRepository extends RepositoryRef {
  readonly id?: string;
  readonly url: string | null;
  readonly private: boolean;
}

/** An entry of the log: all that the pipeline needs to continue after any failure. */
export type Entry = EntryFields & Kind;

/** The fields of every kind of entry. Times are milliseconds since 1970. */
export interface EntryFields {
  readonly user: string;
  /** The user's entries are numbered from 1, without gaps, in the order in which they were accepted. */
  readonly number: number;
  /** 32 digits: 20 random hex digits, then the number as 12 decimal ones. */
  readonly id: string;
  readonly uuid: string;
  /** The address of the service that the request used; commit statuses link to it. */
  readonly base: string;
  readonly appName: string | null;
  readonly status: Status;
  readonly provider: string;
  /**
   * The name of the API token by which it was requested or, later, released by hand; absent for the password, and for what
   * nobody has requested.
   */
  readonly token?: string | undefined;
  readonly repository: EntryRepository | null;
  /** Until the stage `check`, the first digits of the commit when its sender has sent no more. */
  readonly sha: string | null;
  readonly branch: string | null;
  readonly ref: string | null;
  /** The folder of the application in the repository; absent for the root. */
  readonly path?: string | undefined;
  /** The word that the hook adds to the application's name; absent for none. */
  readonly environment?: string | undefined;
  readonly before: string | null;
  readonly forced: boolean;
  readonly message: string | null;
  readonly author: string | null;
  readonly delivery: string | null;
  readonly receivedAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** When it expires while it is held, unless it is released; absent for an entry that was never held. */
  readonly expiresAt?: number;
  /** One sentence for every status that is not `ok`. */
  readonly reason: string | null;
  /** What was lost with the release before; absent when nothing was. */
  readonly warning?: string;
  readonly error: EntryError | null;
  readonly stages: readonly StageRecord[];
  readonly snapshot: string | null;
  /** The address of the application. */
  readonly url: string | null;
  readonly logTail: readonly string[];
  /** Number of the last change of this entry in the user's feed. */
  readonly seq: number;
  /** The current stage, or the last one of an entry that has ended. */
  readonly stage: StageName;
  readonly tarball: StagedTarball | null;
  /** The part of the package manifest that the platform gets. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
  /** The settings that it deploys with; absent before the stage `check`. */
  readonly settings?: Settings;
  /** The commands and the folder that its build has used, set or found; absent before its end. */
  readonly found?: Settings;
  /** Its build reuses neither modules nor caches of earlier builds; absent: it does. */
  readonly clean?: true;
  /** Deploy order: the `seq` at promotion or, of an operation, at acceptance: CI may hold up a lower number. Absent before. */
  readonly order?: number;
  /** The deploy of its branch that was unfinished when the entry was promoted; absent when there was none. */
  readonly follows?: number;
  /** The operation that overruled the application's deploys before this one did; absent when there was none. */
  readonly overruledBefore?: number;
  /** Number of the platform's event that last changed the status to or from `crashed`; absent before the first. */
  readonly appEvent?: number;
  /** The number of times that a stage was repeated because its result was gone; absent when never. */
  readonly returns?: number;
  /** While its stage waits for the repository host, and of an entry that has ended by that; null after the wait. */
  readonly hostAway?: HostAway | null;
}

export function entryAddress(base: string, entry: Pick<Entry, 'user' | 'id'>): string {
  return `${base}/1/status/${encodeURIComponent(entry.user)}/changes/${entry.id}`;
}

/** Returns the address of an entry on the page, for people. */
export function pageAddress(base: string, { user, id }: Pick<Entry, 'user' | 'id'>): string {
  return `${base}/#/${encodeURIComponent(user)}/deploys/${id}`;
}

/** Returns the id of an entry. It contains the number, so that one read finds the entry, and cannot be guessed. */
export function entryId(random: string, number: number): string {
  return `${random}${String(number).padStart(12, '0')}`;
}

/** Returns the number in an id; null when it is not an id. */
export function entryNumber(id: string): number | null {
  return /^[0-9a-f]{20}[0-9]{12}$/.test(id) ? Number(id.slice(20)) : null;
}

/** Returns `<owner>/<repository>/<sha>`, or `<owner>/<repository>` without a commit; null without a repository. */
export function commitName(entry: Entry): string | null {
  const { repository, sha } = entry;
  if (!repository) return null;
  return [repository.owner, repository.name, ...(sha ? [sha] : [])].join('/');
}

/** A claim on the current stage of an entry, which is kept outside its document. */
interface StageRun {
  /** Milliseconds since 1970; null when no worker has claimed the stage. */
  readonly takenAt: number | null;
  readonly attempts: number;
}

/** Returns an entry with its running stage among its stages, if one runs. */
export function withRunningStage(entry: Entry, { takenAt, attempts }: StageRun): Entry {
  if (takenAt === null || isFinal(entry.status)) return entry;
  const earlier = entry.stages.filter((record) => record.name !== entry.stage);
  const running = { name: entry.stage, startedAt: takenAt, finishedAt: null, attempts, detail: null };
  return { ...entry, stages: [...earlier, { ...running, status: 'running' }] };
}

/**
 * Returns the key under which a deploy's tarball is staged: the same for every run of an entry, so that a second run
 * replaces the tarball of the first.
 */
export function tarballKey({ user, number, sha }: Pick<Entry, 'user' | 'number' | 'sha'>): string {
  return `${encodeURIComponent(user)}/${number}/${sha}.tar.gz`;
}

/** Returns the entry in a parsed JSON of the log. Version 1.0.0 wrote no kind, and `order` as `place`. */
export function storedEntry(stored: Entry | (EntryFields & WithoutKind & { readonly place?: number })): Entry {
  if ('kind' in stored) return stored;
  const { place, fromBuild: _, ...entry } = stored;
  return { ...entry, kind: kindOf(stored), ...(place !== undefined && { order: place }) } as Entry;
}
