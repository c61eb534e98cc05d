import * as client from '../../client/entry.ts';
import { fieldsOf } from '../../client/lines.ts';
import { printableJson, printableValue } from '../../terminal/printable.ts';
import { type Api, known } from './api.ts';

/** Returns a page of the log with documents, newest first: of all applications, or of one. */
export async function logPage(api: Api, query?: Parameters<typeof client.logPage>[1]): Promise<client.LogPage> {
  const page = await client.logPage(api, query);
  const { rows, notice } = page;
  return { ...page, rows: printableValue(rows), ...(notice !== undefined && { notice: printableValue(notice) }) };
}

export async function oneEntry(api: Api, id: string): Promise<client.Entry> {
  return printableValue(await client.readEntry(api, id));
}

/** Returns the entry that an answer is. Throws `Unreadable` when it is none. */
export function entryOf(answer: unknown): client.Entry {
  return known(client.entryIn(answer));
}

/** Returns an entry as a line of JSON. Its document repeats its own fields: each is there once. */
export function entryJson(entry: unknown): string {
  const { doc, ...row } = fieldsOf(entry);
  return printableJson({ ...row, ...fieldsOf(doc), ...row });
}

/** Returns why an entry has its status; empty when there is nothing to explain. */
export function reasonOf({ error, reason, doc }: client.Entry): string {
  if (error) return [error.detail, `(${error.code})`].filter(Boolean).join(' ');
  return reason ?? doc?.reason ?? '';
}
