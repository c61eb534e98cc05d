import type { Entry } from '../../../core/entry/entry.ts';
import { checksTrackOf, EVERY_TRACK, trackOf } from '../../../core/entry/track.ts';
import type { Transition } from '../../../core/entry/transition.ts';
import { withResult } from '../../../core/hold/checks.ts';
import type { CommitRef, RepositoryRef } from '../../../core/payload/delivery.ts';
import type { BranchFacts, CommitState, DeployFacts, ExpectedCi, Hold } from '../../../core/ports/facts.ts';
import type { AppendRequest, CommitResult } from '../../../core/ports/log.ts';
import { isSettled, moveOf } from '../moves.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { sqliteOwners } from './apps.ts';
import type { Connection } from './connection.ts';
import type { StoreContext } from './writer.ts';

/** Returns the facts about commits, branches and applications. */
export function sqliteFacts(context: StoreContext): DeployFacts {
  const { connection } = context;
  return {
    commitState: async (user, commit, track) =>
      commitState(connection, { user, repository: commit, track }, commit.sha),
    commits: async (user, repository, track, digits) => commitsFrom(connection, { user, repository, track }, digits),
    holds: async (user, repository, digits) => holdsFrom(connection, { user, repository }, digits),
    heldOf: async (user, { pullRequest }) => heldPreviews(connection, user, pullRequest?.number ?? 0),
    branch: async (user, repository, track) => branchFacts(connection, { user, repository, track }),
    ...sqliteOwners(context),
  };
}

/** A branch of a user's repository, or the folder of an application in it. */
interface Track {
  readonly user: string;
  readonly repository: RepositoryRef;
  readonly track: string;
}

/** `moved`: the sum of its moves, which began with `movedFrom`; absent before the first. */
type StoredBranch = Omit<BranchFacts, 'isTipSure'> & { readonly moved?: number; readonly movedFrom?: number };

function branchFacts(connection: Connection, of: Track): BranchFacts {
  const { moved, movedFrom, ...facts } = storedBranch(connection, of);
  return { ...facts, isTipSure: isSettled({ tip: facts.tip, moved, movedFrom }) };
}

function storedBranch(connection: Connection, { user, repository, track }: Track): StoredBranch {
  const sql = 'SELECT facts FROM branches WHERE user = ? AND repository = ? AND track = ?';
  const row = connection.get<{ facts: string }>(sql, user, keyOf(repository), track);
  const none = { newest: 0, tip: null, activeDeploy: null, app: null, otherName: null, ci: {} };
  return { ...none, ...(JSON.parse(row?.facts ?? '{}') as Partial<StoredBranch>) };
}

function commitState(connection: Connection, { user, repository, track }: Track, sha: string): CommitState {
  const sql = 'SELECT state FROM commits WHERE user = ? AND repository = ? AND sha = ? AND track = ?';
  const row = connection.get<{ state: string }>(sql, user, keyOf(repository), sha, track);
  const none: CommitState = { checks: [], version: 0, held: null, deploying: null, awaitsPush: false, skip: null };
  return row ? { ...none, ...(JSON.parse(row.state) as Partial<CommitState>) } : none;
}

/** Returns the commits of a track that have a state and start with these digits. */
function commitsFrom(connection: Connection, of: Track, digits: string): readonly string[] {
  const sql = 'SELECT sha FROM commits WHERE user = ? AND repository = ? AND sha >= ? AND sha < ? AND track = ?';
  // The first letter after the hexadecimal digits.
  const end = `${digits}g`;
  const rows = connection.all<{ sha: string }>(sql, of.user, keyOf(of.repository), digits, end, of.track);
  return rows.map(({ sha }) => sha);
}

/** Returns what is held for the commits that start with these digits. */
function holdsFrom(connection: Connection, of: Omit<Track, 'track'>, digits: string): readonly Hold[] {
  const sql = `SELECT sha, state ->> 'held' AS held FROM commits
      WHERE user = ? AND repository = ? AND sha >= ? AND sha < ? AND held IS NOT NULL`;
  return connection.all<{ sha: string; held: number }>(sql, of.user, keyOf(of.repository), digits, `${digits}g`);
}

/** By the index of what is under way, whose condition is repeated for it. */
function heldPreviews(connection: Connection, user: string, pull: number): readonly number[] {
  const sql = `SELECT number FROM entries
      WHERE user = ? AND repository IS NOT NULL AND status IN ('queued', 'running', 'held')
        AND status = 'held' AND doc ->> '$.pullRequest.number' = ?`;
  return connection.all<{ number: number }>(sql, user, pull).map(({ number }) => number);
}

/** Writes what a new entry says of its commit and its branch. */
export function noteAppend(connection: Connection, entry: Entry, request: AppendRequest, now: number): void {
  const { repository, user } = entry;
  const { isNewestPush, isTip, expectedCi, checkResult, commitResult, skip } = request;
  if (repository && expectedCi) {
    const { track, alsoOf = repository } = expectedCi;
    for (const one of new Set([repository, alsoOf]))
      noteExpected(connection, { user, repository: one, track }, expectedCi);
  }
  const of = trackOfEntry(entry);
  if (of && (isNewestPush || isTip)) {
    const facts = storedBranch(connection, of);
    const moved = isTip && movedBy(entry, facts);
    writeBranch(connection, of, { ...facts, ...(isNewestPush && { newest: entry.number }), ...moved });
  }
  if (of && entry.sha && skip) patchCommit(connection, { ...of, sha: entry.sha }, { skip }, now);
  if (of && entry.sha && checkResult) noteResult(connection, of, { ...checkResult, sha: entry.sha }, now);
  if (repository && commitResult) noteResult(connection, { user, repository, track: EVERY_TRACK }, commitResult, now);
}

function noteExpected(connection: Connection, of: Track, { provider, until }: ExpectedCi): void {
  const facts = storedBranch(connection, of);
  const { [provider]: _, ...others } = facts.ci;
  writeBranch(connection, of, { ...facts, ci: { ...others, ...(until !== null && { [provider]: until }) } });
}

function movedBy(entry: Entry, before: StoredBranch): Pick<StoredBranch, 'tip' | 'moved' | 'movedFrom'> {
  const { tip, start, by, to } = moveOf(entry);
  if (by === null) return { tip, moved: to, movedFrom: start };
  return { tip, moved: (before.moved ?? start) + by, movedFrom: before.movedFrom ?? start };
}

function noteResult(connection: Connection, of: Track, { sha, ...result }: CommitResult, now: number): void {
  const { checks, version } = commitState(connection, of, sha);
  patchCommit(connection, { ...of, sha }, { checks: withResult(checks, result), version: version + 1 }, now);
}

/** Writes what a transition says of the commit and the branch of its entry. */
export function noteMove(connection: Connection, after: Entry, transition: Transition, now: number): void {
  const { commitState: state, promotes, otherName } = transition;
  const of = trackOfEntry(after);
  if (of && promotes && after.sha) {
    const { number, sha, appName } = after;
    const before = storedBranch(connection, of);
    const renamed = otherName && { otherName };
    writeBranch(connection, of, { ...before, activeDeploy: { number, sha }, app: appName, ...renamed });
  }
  if (of && after.sha && state && Object.keys(state).length > 0) {
    patchCommit(connection, { ...of, sha: after.sha }, state, now);
  }
}

/** Whether the state of the entry's commit has the version that a transition requires. */
export function hasVersion(connection: Connection, entry: Entry, { ifCommitVersion }: Transition): boolean {
  const of = trackOfEntry(entry);
  const { branch, sha } = entry;
  if (ifCommitVersion === undefined || !of || !branch || !sha) return true;
  const track = checksTrackOf({ ...entry, branch });
  return commitState(connection, { ...of, track }, sha).version === ifCommitVersion;
}

function writeBranch(connection: Connection, { user, repository, track }: Track, facts: StoredBranch): void {
  const sql = 'INSERT OR REPLACE INTO branches (user, repository, track, facts) VALUES (?, ?, ?, ?)';
  connection.run(sql, user, keyOf(repository), track, JSON.stringify(facts));
}

function patchCommit(
  connection: Connection,
  of: Track & { readonly sha: string },
  patch: Partial<CommitState>,
  now: number,
): void {
  const state = JSON.stringify({ ...commitState(connection, of, of.sha), ...patch });
  const expires = expiry(now, RETENTION_SECONDS.commitState);
  const sql = 'INSERT OR REPLACE INTO commits (user, repository, sha, track, state, expires) VALUES (?, ?, ?, ?, ?, ?)';
  connection.run(sql, of.user, keyOf(of.repository), of.sha, of.track, state, expires);
}

function trackOfEntry(entry: Entry): Track | null {
  const { user, repository, branch } = entry;
  return repository && branch ? { user, repository, track: trackOf({ ...entry, branch }) } : null;
}

/** Lower case, because hosts ignore the case of owners and names, and senders write them differently. */
function keyOf({ host, owner, name }: RepositoryRef | CommitRef): string {
  return `${host}/${owner}/${name}`.toLowerCase();
}
