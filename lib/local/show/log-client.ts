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
  readonly provider: string;
  readonly commit: string | null;
  readonly seq: number;
  readonly error?: { readonly code: string; readonly detail: string };
  readonly doc: {
    readonly branch: string | null;
    readonly message: string | null;
    readonly received_at: string;
    readonly finished_at: string | null;
    readonly reason: string | null;
    readonly stages: readonly ShownStage[];
    readonly url: string | null;
    readonly log_tail: readonly string[];
  };
}

const FINAL_STATUSES = ['ok', 'error', 'expired', 'skipped', 'duplicate', 'superseded'];

/** Whether an entry of that status never changes again. */
export function isFinal({ status }: Pick<ShownEntry, 'status'>): boolean {
  return FINAL_STATUSES.includes(status);
}

/** Returns the newest entries from the service's API, oldest first. */
export async function newestEntries(
  url: string,
  login: { readonly user: string; readonly password: string },
  limit: number,
): Promise<readonly ShownEntry[]> {
  const authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  const query = new URLSearchParams({ limit: String(limit), include_docs: 'true' });
  const response = await fetch(`${url}/1/status/${login.user}/webhooks?${query}`, { headers: { authorization } });
  if (!response.ok) throw new Error(`The log answered ${response.status}.`);
  const page = (await response.json()) as { readonly rows: readonly ShownEntry[] };
  return [...page.rows].reverse();
}
