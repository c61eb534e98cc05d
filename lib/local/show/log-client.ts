import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { printableValue } from '../../terminal/printable.ts';
import type { ShownEntry } from '../../terminal/shown-entry.ts';

/** Returns the newest entries from the service's API, oldest first. */
export async function newestEntries(
  url: string,
  login: { readonly user: string; readonly password: string },
  limit: number,
): Promise<readonly ShownEntry[]> {
  const authorization = basicHeader(`${login.user}:${login.password}`);
  const query = new URLSearchParams({ limit: String(limit), include_docs: 'true' });
  const response = await fetch(`${url}/1/status/${login.user}/webhooks?${query}`, { headers: { authorization } });
  if (!response.ok) throw new Error(`The log answered ${response.status}.`);
  const page = (await response.json()) as { readonly rows: readonly ShownEntry[] };
  return printableValue(page.rows).toReversed();
}
