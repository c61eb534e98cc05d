/** One stage as the API shows it. */
export interface ShownStage {
  readonly name: string;
  readonly status: 'running' | 'done' | 'failed';
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly detail: string | null;
}

/** The fields of an entry that are shown. */
export interface ShownEntry {
  readonly id: string;
  readonly app_name: string | null;
  readonly status: string;
  /** When a held deploy expires; absent for all others. */
  readonly expires_at?: string | null | undefined;
  readonly provider: string;
  readonly commit: string | null;
  readonly seq: number;
  readonly error?: { readonly code: string; readonly detail: string };
  readonly doc: {
    readonly branch: string | null;
    /** `rollback`, `restart`, `stop` or `remove`; absent for a deploy. */
    readonly operation?: string | null | undefined;
    readonly message: string | null;
    readonly received_at: string;
    readonly finished_at: string | null;
    readonly reason: string | null;
    readonly stages: readonly ShownStage[];
    readonly url: string | null;
    readonly log_tail: readonly string[];
  };
}

const FINAL_STATUSES = ['ok', 'crashed', 'error', 'expired', 'skipped', 'duplicate', 'superseded', 'cancelled'];

/** Whether the deploy of an entry of that status has ended. A status of a later version is not known to be an end. */
export function isFinal({ status }: Pick<ShownEntry, 'status'>): boolean {
  return FINAL_STATUSES.includes(status);
}
