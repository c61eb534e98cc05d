/** A stage of a deploy, as the API shows it. Times are RFC 3339. */
export interface Stage {
  readonly name: string;
  readonly status: 'running' | 'done' | 'failed';
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly attempts: number;
  readonly detail: string | null;
}

/** Why a deploy failed. */
export interface EntryError {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
}

/** The repository of an entry. `url` is that of its page, as the sender wrote it. */
export interface Repository {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly url?: string | null;
}

/** The details of an entry: what `include_docs` adds. */
export interface EntryDocument {
  readonly repository: Repository | null;
  readonly branch: string | null;
  readonly path: string | null;
  readonly ref: string | null;
  readonly message: string | null;
  readonly author: string | null;
  readonly received_at: string;
  readonly updated_at: string;
  readonly finished_at: string | null;
  readonly stages: readonly Stage[];
  readonly snapshot: string | null;
  readonly log_tail: readonly string[];
}

/** A log entry as the API shows it. Its strings come from outside and are shown as text only. */
export interface Entry {
  readonly id: string;
  readonly app_name: string | null;
  readonly status: string;
  /** When a held deploy expires; absent for all others. */
  readonly expires_at?: string;
  readonly provider: string;
  readonly operation?: string;
  readonly commit: string | null;
  readonly seq: number;
  readonly reason: string | null;
  readonly url: string | null;
  readonly error?: EntryError;
  readonly doc?: EntryDocument;
}

/**
 * Returns the 32 digits of an entry: its address begins as the request did that made it, which may not be this page's.
 */
export function idOf({ id }: Pick<Entry, 'id'>): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Returns the number of an entry, per user from 1: the decimal digits at the end of its id. */
export function numberOf(entry: Pick<Entry, 'id'>): number {
  return Number(idOf(entry).slice(20));
}

/** Returns the commit's hash; null when the entry has none. */
export function shaOf({ commit }: Pick<Entry, 'commit'>): string | null {
  return /\/([0-9a-f]{40,64})$/i.exec(commit ?? '')?.[1] ?? null;
}

/** Returns the subject of an entry: the application, else its repository, else the caller. */
export function subjectOf({ app_name, commit, provider }: Entry): string {
  const [owner, repository] = (commit ?? '').split('/');
  return app_name ?? (repository ? `${owner}/${repository}` : provider);
}

const final = ['ok', 'crashed', 'error', 'expired', 'skipped', 'duplicate', 'superseded', 'cancelled'];

/** Returns whether no stage of the entry runs or will run. A status of a later version is not known to be an end. */
export function isFinal({ status }: Pick<Entry, 'status'>): boolean {
  return final.includes(status);
}
