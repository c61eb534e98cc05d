import * as v from 'valibot';
import type { ShownEntry } from '../../terminal/shown-entry.ts';
import type { Api } from './api.ts';
import { parsed } from './api.ts';

const text = v.nullish(v.string(), null);

const Stage = v.looseObject({
  name: v.string(),
  status: v.picklist(['running', 'done', 'failed']),
  started_at: v.string(),
  finished_at: text,
  detail: text,
});

const Doc = v.looseObject({
  branch: text,
  message: text,
  operation: v.optional(text),
  received_at: v.string(),
  finished_at: text,
  updated_at: v.optional(text),
  reason: text,
  stages: v.array(Stage),
  url: text,
  log_tail: v.array(v.string()),
});

export const EntrySchema = v.looseObject({
  id: v.string(),
  app_name: text,
  status: v.string(),
  expires_at: v.optional(text),
  provider: v.nullish(v.string(), 'unknown'),
  commit: text,
  seq: v.number(),
  reason: v.optional(text),
  url: v.optional(text),
  error: v.optional(v.looseObject({ code: v.string(), detail: v.nullish(v.string(), '') })),
  doc: v.optional(Doc),
});

/** An entry of the log as the service sends it, with all its fields. */
export type Entry = v.InferOutput<typeof EntrySchema>;

const Page = v.looseObject({ total: v.number(), rows: v.array(EntrySchema) });

/** A page of the log. `sent` is what the service sent. */
export interface LogPage {
  readonly rows: readonly Entry[];
  readonly total: number;
  readonly sent: unknown;
}

/** Returns a page of the log with documents, newest first: of all applications, or of one. */
export async function logPage(
  { get, service }: Api,
  { app, limit, skip = 0 }: { readonly app?: string | undefined; readonly limit: number; readonly skip?: number },
): Promise<LogPage> {
  const path = ['status', service.user, 'webhooks', ...(app === undefined ? [] : [app])];
  const sent = await get({ path, query: { limit, skip, include_docs: true } });
  const { rows, total } = parsed(Page, sent);
  return { rows, total, sent };
}

/** Returns an entry with its document. */
export async function oneEntry({ get, service }: Api, id: string): Promise<Entry> {
  return parsed(
    EntrySchema,
    await get({ path: ['status', service.user, 'changes', id], query: { include_docs: true } }),
  );
}

/** Returns the id at the end of an entry's address. */
export function idOf({ id }: Pick<Entry, 'id'>): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Returns the number of an entry: the last 12 digits of its id. */
export function numberOf({ id }: Pick<Entry, 'id'>): string {
  return /(\d{12})$/.exec(id)?.[1]?.replace(/^0+(?=\d)/, '') ?? '?';
}

/** Returns why an entry has its status; empty when there is nothing to explain. */
export function reasonOf({ error, reason, doc }: Entry): string {
  if (error) return [error.detail, `(${error.code})`].filter(Boolean).join(' ');
  return reason ?? doc?.reason ?? '';
}

/** Returns the entry as it is drawn; null when it came without a document. */
export function shown({ doc, error, ...row }: Entry): ShownEntry | null {
  if (!doc) return null;
  return { ...row, doc, ...(error && { error: { code: error.code, detail: error.detail } }) };
}
