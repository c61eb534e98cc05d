/** One stage as the API shows it. */
export interface ShownStage {
  readonly name: string;
  readonly status: 'running' | 'done' | 'failed';
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly detail: string | null;
}

/** The parts of an entry that a person wants to see. */
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

const finals = ['ok', 'error', 'expired', 'skipped', 'duplicate', 'superseded'];

/** Whether an entry of that status never changes again. */
export function isFinal({ status }: Pick<ShownEntry, 'status'>): boolean {
  return finals.includes(status);
}

/** The newest entries, oldest first, as the service's own API gives them to its user. */
export async function newestEntries(
  url: string,
  login: { readonly user: string; readonly password: string },
  limit: number,
): Promise<readonly ShownEntry[]> {
  const authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  const query = new URLSearchParams({ limit: String(limit), include_docs: 'true' });
  const answer = await fetch(`${url}/1/status/${login.user}/webhooks?${query}`, { headers: { authorization } });
  if (!answer.ok) throw new Error(`The log answered ${answer.status}.`);
  const page = (await answer.json()) as { readonly rows: readonly ShownEntry[] };
  return [...page.rows].reverse();
}
