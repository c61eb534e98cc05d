import { nameFor } from '../../../core/entry/app-owner.ts';
import { type Entry, isFinal } from '../../../core/entry/entry.ts';
import { isDeploy } from '../../../core/entry/kinds.ts';
import { badgeOf } from '../../../core/entry/outcome.ts';
import { applied, dueAfter, startsStage, type Transition } from '../../../core/entry/transition.ts';
import { isAfter } from '../../../core/pipeline/pipeline.ts';
import type { Announce, Change, ClaimedStage, ClaimResult, DeployLog, StageClaim } from '../../../core/ports/log.ts';
import { appender, writeChange } from './append.ts';
import { joinApp, setActive } from './apps.ts';
import type { Connection } from './connection.ts';
import { type EntryRow, entryOf, entryRow, patchOf, type ReadEntry, readRow } from './documents.ts';
import { hasVersion, noteMove } from './facts.ts';
import type { StoreContext } from './writer.ts';

export function sqliteLog(context: StoreContext): DeployLog {
  const { connection, writer } = context;
  return {
    append: appender(context),
    read: async (user, number) => readEntry(connection, user, number),
    // A claim that a power cut has undone is made again by the next start.
    claim: (claim, announce) => writer.note((publish) => claimStage(context, { claim, announce, publish })),
    releaseClaim: (stage, dueAt) => writer.note(() => releaseClaim(connection, stage, dueAt)),
    move: (user, number, decide) => writer.run((publish) => move(context, { user, number, decide, publish })),
  };
}

/**
 * Returns the log for the stages: what they write about an entry waits for no fsync, because the next start runs the
 * stage of an entry again that a power cut has left at it.
 */
export function stageLog(context: StoreContext, log: DeployLog): DeployLog {
  const { writer } = context;
  return {
    ...log,
    move: (user, number, decide) => writer.note((publish) => move(context, { user, number, decide, publish })),
  };
}

/** Returns an entry with its running stage; null when there is none. */
export function readEntry(connection: Connection, user: string, number: number): Entry | null {
  const row = entryRow(connection, user, number);
  return row ? entryOf(row) : null;
}

interface Claim {
  readonly claim: StageClaim;
  readonly announce: Announce | undefined;
  readonly publish: (change: Change) => void;
}

function claimStage(context: StoreContext, { claim, announce, publish }: Claim): ClaimResult {
  const { connection } = context;
  const { user, number, stage, now, leaseUntil, dueAt } = claim;
  const row = entryRow(connection, user, number);
  if (!row) return { outcome: 'closed' };
  const entry = entryOf(row);
  if (isFinal(entry.status) || entry.status === 'held') return { outcome: 'closed' };
  if (entry.stage !== stage) {
    return isAfter(entry.stage, stage) ? { outcome: 'alreadyDone', entry } : { outcome: 'closed' };
  }
  if (row.lease !== null && row.lease >= now) return { outcome: 'locked', until: row.lease };
  const attempts = row.attempts + 1;
  const takenAt = row.taken_at ?? now;
  const claimed = { ...row, attempts, lease: leaseUntil, taken_at: takenAt, due_at: dueAt };
  const read = readRow(claimed);
  const changes = announce?.(read.entry, attempts);
  if (changes) {
    const announced = write(context, { row: claimed, read, publish }, { changes, keepsLease: true, dueAt });
    return { outcome: 'claimed', entry: announced, attempts };
  }
  const sql = 'UPDATE entries SET lease = ?, due_at = ?, attempts = ?, taken_at = ? WHERE id = ?';
  connection.run(sql, leaseUntil, dueAt, attempts, takenAt, row.id);
  return { outcome: 'claimed', entry: read.entry, attempts };
}

function releaseClaim(connection: Connection, { user, number, stage }: ClaimedStage, dueAt: number): void {
  const sql = `UPDATE entries SET lease = NULL, due_at = ?, attempts = attempts - 1
     WHERE user = ? AND number = ? AND stage = ? AND lease IS NOT NULL`;
  connection.run(sql, dueAt, user, number, stage);
}

interface Move {
  readonly user: string;
  readonly number: number;
  readonly decide: (entry: Entry) => Transition | null;
  readonly publish: (change: Change) => void;
}

function move(context: StoreContext, { user, number, decide, publish }: Move): Entry | null {
  const { connection } = context;
  const row = entryRow(connection, user, number);
  if (!row) return null;
  const read = readRow(row);
  const transition = decide(read.entry);
  if (!transition) return read.entry;
  return hasVersion(connection, read.entry, transition) ? write(context, { row, read, publish }, transition) : null;
}

interface Write {
  readonly row: EntryRow;
  readonly read: ReadEntry;
  readonly publish: (change: Change) => void;
}

/** Writes a transition of an entry that was read in the same transaction. Returns the entry afterwards. */
function write({ connection, clock }: StoreContext, { row, read, publish }: Write, transition: Transition): Entry {
  const { entry: before, appended } = read;
  const after = applied(before, transition, nextSeq(connection, before.user));
  const patch = patchOf(appended, after);
  updateEntry(connection, { row, before, after, patch }, transition);
  writeChange(connection, { entry: after, row: row.id, patch, now: clock.now() });
  noteApp(connection, row, after, transition);
  noteMove(connection, after, transition, clock.now());
  if (isFinal(after.status)) noteOutcome(connection, after);
  publish(after);
  return after;
}

function nextSeq(connection: Connection, user: string): number {
  const sql = 'UPDATE users SET changes = changes + 1 WHERE name = ? RETURNING changes';
  return connection.get<{ changes: number }>(sql, user)?.changes ?? 0;
}

interface Moved {
  readonly row: EntryRow;
  readonly before: Entry;
  readonly after: Entry;
  readonly patch: string;
}

function updateEntry(connection: Connection, { row, before, after, patch }: Moved, transition: Transition): void {
  const starts = startsStage(before, after);
  connection.run(
    `UPDATE entries SET seq = ?, status = ?, stage = ?, attempts = ?, restarts = restarts * ?, lease = ?, taken_at = ?, due_at = ?, patch = ?
     WHERE id = ?`,
    after.seq,
    after.status,
    after.stage,
    starts ? 0 : row.attempts,
    starts ? 0 : 1,
    transition.keepsLease ? row.lease : null,
    starts ? null : row.taken_at,
    dueAfter(after, transition),
    patch,
    row.id,
  );
}

function noteApp(connection: Connection, row: EntryRow, after: Entry, { activates, deactivates }: Transition): void {
  const { user, appName } = after;
  if (appName === null) return;
  if (row.app === null) joinApp(connection, row.id, user, appName);
  if (activates) setActive(connection, { user, app: appName }, after.number);
  if (deactivates) setActive(connection, { user, app: appName }, null);
}

/** Writes what the end of a deploy means for the badges of its repository: see `shownBadge`. */
function noteOutcome(connection: Connection, entry: Entry): void {
  const { user, repository, path } = entry;
  const badge = badgeOf(entry);
  if (!repository || !isDeploy(entry) || badge === null) return;
  const crashed = badge === 'crashed';
  // An `ok` after a crash is not the result of a deploy: a later one may have failed.
  const keeps = crashed || entry.appEvent !== undefined;
  for (const folder of new Set(['', path ?? ''])) {
    connection.run(
      `INSERT INTO badges (user, repository, path, outcome, crashed) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET outcome = iif(?6, coalesce(outcome, ?4), ?4), crashed = iif(?7, crashed, ?5)`,
      user,
      nameFor(repository.name, entry).toLowerCase(),
      folder,
      crashed ? null : badge,
      crashed ? 1 : 0,
      keeps ? 1 : 0,
      // A deploy that fails leaves the crashed release as it is.
      badge === 'failed' ? 1 : 0,
    );
  }
}
