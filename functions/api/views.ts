import { commitName, type Entry, entryAddress, type StageRecord } from '../core/entry/entry.ts';
import type { SentDocument, SentEntry, SentStage } from './shapes/entry.ts';

/** The rows that have a `doc`: all, none, or (`auto`) failures, holds, retries and others that need an explanation. */
export type IncludeDocs = 'true' | 'false' | 'auto';

/** The form of the rows for a reader. `base` is the address of the service that the reader used. */
export interface View {
  readonly base: string;
  readonly docs: IncludeDocs;
}

/** Returns the row of an entry in the response to a hook, on the status pages and in the feed. */
export function row(entry: Entry, view: View): SentEntry {
  const summary = summarise(entry, view.base);
  const explains = entry.status !== 'ok' && entry.reason !== null;
  const wantsDoc = view.docs === 'true' || (view.docs === 'auto' && explains);
  return {
    ...summary,
    ...(entry.error && { error: entry.error }),
    ...(wantsDoc && { doc: { ...summary, ...details(entry) } }),
  };
}

function summarise(entry: Entry, base: string): Omit<SentEntry, 'error' | 'doc'> {
  return {
    id: entryAddress(base, entry),
    app_name: entry.appName,
    uuid: entry.uuid,
    status: entry.status,
    ...(entry.status === 'held' && entry.expiresAt !== undefined && { expires_at: time(entry.expiresAt) }),
    provider: entry.provider,
    ...(entry.operation && { operation: entry.operation }),
    ...(entry.pullRequest && { pull_request: entry.pullRequest.number, preview_of: entry.pullRequest.parent ?? null }),
    commit: commitName(entry),
    seq: entry.seq,
    reason: entry.status === 'ok' ? null : entry.reason,
    ...(entry.warning !== undefined && { warning: entry.warning }),
    url: entry.url,
  };
}

function details(entry: Entry): Omit<SentDocument, keyof SentEntry> & Pick<SentDocument, 'error'> {
  return {
    user: entry.user,
    repository: entry.repository,
    branch: entry.branch,
    path: entry.path ?? null,
    environment: entry.environment ?? null,
    ref: entry.ref,
    message: entry.message,
    author: entry.author,
    delivery: entry.delivery,
    ...(entry.token !== undefined && { token: entry.token }),
    received_at: time(entry.receivedAt),
    updated_at: time(entry.updatedAt),
    finished_at: timeOrNull(entry.finishedAt),
    error: entry.error,
    stages: entry.stages.map(stage),
    snapshot: entry.snapshot,
    log_tail: entry.logTail,
  };
}

function stage(record: StageRecord): SentStage {
  return {
    name: record.name,
    status: record.status,
    started_at: time(record.startedAt),
    finished_at: timeOrNull(record.finishedAt),
    attempts: record.attempts,
    detail: record.detail,
  };
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : time(milliseconds);
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
