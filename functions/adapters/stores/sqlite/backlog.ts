import type { Job } from '../../../core/pipeline/job.ts';
import { MAX_RESTARTS } from '../../../core/pipeline/stage-failure.ts';
import type { Backlog } from '../../../core/ports/log.ts';
import type { Connection } from './connection.ts';
import type { StoreContext } from './writer.ts';

/** Returns the entries that the sweep looks at, by the time at which they are due. */
export function sqliteBacklog({ connection, writer }: StoreContext): Backlog {
  // Its writes need no fsync: after a power cut the sweep finds the entries again.
  return {
    due: async (now, limit) =>
      jobs(connection.all('SELECT user, number FROM entries WHERE due_at <= ? ORDER BY due_at LIMIT ?', now, limit)),
    postpone: (job, dueAt, freesLease) =>
      writer.note(() => {
        const sql = 'UPDATE entries SET due_at = ? WHERE user = ? AND number = ? AND due_at IS NOT NULL';
        if (connection.run(sql, dueAt, job.user, job.number) > 0 && freesLease) freeLease(connection, job);
      }),
    release: (job, dueAt) => writer.note(() => release(connection, job, dueAt)),
    close: async ({ user, number, seq }) => {
      const which = 'user = ? AND number = ? AND seq = ? AND due_at IS NOT NULL';
      // What has ended without a commit status is not due any more: most pushes of a burst need no transaction for it.
      if (!connection.get(`SELECT id FROM entries WHERE ${which}`, user, number, seq)) return;
      await writer.note(() => connection.run(`UPDATE entries SET due_at = NULL WHERE ${which}`, user, number, seq));
    },
  };
}

/** Returns the unfinished entries that are not held, oldest first. */
export function unfinished(connection: Connection): readonly Job[] {
  const sql = `SELECT user, number FROM entries WHERE due_at IS NOT NULL AND status IN ('queued', 'running') ORDER BY id`;
  return jobs(connection.all(sql));
}

/** Returns when the next entry is due; null when none is. */
export function nextDue(connection: Connection): number | null {
  const sql = 'SELECT min(due_at) AS at FROM entries WHERE due_at IS NOT NULL';
  return connection.get<{ at: number | null }>(sql)?.at ?? null;
}

function release(connection: Connection, { user, number }: Job, dueAt: number): boolean {
  const sql = 'SELECT lease, due_at FROM entries WHERE user = ? AND number = ? AND due_at IS NOT NULL';
  const row = connection.get<{ lease: number | null; due_at: number }>(sql, user, number);
  if (!row || (row.lease === null && row.due_at >= dueAt)) return false;
  connection.run('UPDATE entries SET due_at = ? WHERE user = ? AND number = ?', dueAt, user, number);
  freeLease(connection, { user, number });
  return row.lease !== null;
}

function freeLease(connection: Connection, { user, number }: Job): void {
  const sql = `UPDATE entries SET lease = NULL, taken_at = NULL, restarts = restarts + (lease IS NOT NULL),
      attempts = attempts - (lease IS NOT NULL AND restarts < ?)
    WHERE user = ? AND number = ?`;
  connection.run(sql, MAX_RESTARTS, user, number);
}

function jobs(rows: readonly Job[]): readonly Job[] {
  return rows.map(({ user, number }) => ({ user, number }));
}
