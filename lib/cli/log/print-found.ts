import type { ApiRequest } from '../../client/client.ts';
import type { OutputLine } from '../../client/output.ts';
import { type Found, searchOutput } from '../../client/search.ts';
import { printable } from '../../terminal/printable.ts';
import type { Call } from '../command.ts';
import type { Api } from '../service/api.ts';
import { printer } from './print-output.ts';

/** The service sends no more at once. */
export const MAX_LINES = 1000;

interface Search {
  readonly request: Pick<ApiRequest, 'path' | 'query'>;
  readonly app: string;
  readonly grep: string;
  /** So many of the last ones are printed. */
  readonly lines: number;
  /** Lines before this time, in milliseconds since 1970, are left out. */
  readonly since?: number;
}

/**
 * Prints the last lines of the stored output that have a text, oldest first, and says how far it was searched when there may be
 * more, or there is none.
 */
export async function printFound(call: Call, api: Api, search: Search): Promise<void> {
  const { lines, searched, next } = await find(call, api, search);
  const print = printer(call);
  for (const line of lines.toReversed()) print(line);
  const back = `back to ${printable(searched ?? 'its beginning')}`;
  if (searched === null) call.warn(`${search.app} has printed nothing.`);
  else if (lines.length === 0) call.warn(`No line of ${search.app} has that: its output was searched ${back}.`);
  else if (next !== null)
    call.warn(`Searched ${back}: earlier lines may have it too (--lines <n>, up to ${MAX_LINES}).`);
}

interface AllFound extends Pick<Found, 'lines' | 'next'> {
  /** The time back to which was searched; null when nothing is stored. */
  readonly searched: string | null;
}

async function find(call: Call, { client, ...api }: Api, search: Search): Promise<AllFound> {
  const { request, grep, lines: wanted, since = 0 } = search;
  const found: OutputLine[] = [];
  let searched: string | null = null;
  let next: string | null = null;
  try {
    do {
      const query = { ...request.query, grep, lines: wanted - found.length, before: next ?? undefined };
      const page: Found = await searchOutput(client, { ...request, query, signal: call.signal });
      found.push(...page.lines.filter(({ at }) => Date.parse(at) >= since));
      searched = page.searched.since ?? searched;
      next = searched !== null && Date.parse(searched) < since ? null : page.next;
    } while (next !== null && found.length < wanted);
  } catch (error) {
    throw await api.explainCall(error, request.path);
  }
  return { lines: found, searched, next };
}
