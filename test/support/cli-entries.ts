/** An entry of the log as the service sends it. */
export interface SentEntry {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The document of an entry. */
export function doc(more: object = {}): object {
  return {
    branch: 'main',
    message: 'A page',
    received_at: '2026-03-04T05:06:07.000Z',
    updated_at: '2026-03-04T05:06:07.000Z',
    finished_at: null,
    reason: null,
    stages: [],
    url: null,
    log_tail: [],
    ...more,
  };
}

/** The entry with that number. */
export function entry(number: number, more: object = {}): SentEntry {
  const id = `https://deploy.example.com/1/status/kiwi/changes/${'ab'.repeat(10)}${String(number).padStart(12, '0')}`;
  const commit = `octo/hello/${'c0ffee12'.repeat(5)}`;
  const row = { id, app_name: 'hello', uuid: 'u', status: 'running', provider: 'github', commit, seq: number };
  return { ...row, reason: null, url: null, doc: doc(), ...more };
}

/** A page of the log. */
export function page(rows: readonly object[], total = rows.length): object {
  return { total, skip: 0, limit: 10, rows };
}
