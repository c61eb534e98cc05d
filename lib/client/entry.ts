import type { ReceivedEntry } from '../../functions/api/shapes/entry.ts';
import { isFinal } from '../../functions/core/entry/entry.ts';
import { GIT } from '../../functions/core/entry/providers.ts';
import type { Client } from './client.ts';
import { fieldsOf, listIn, Unreadable } from './lines.ts';
import { pause, resumed } from './resume.ts';

export { FINAL_STATUSES, pageAddress } from '../../functions/core/entry/entry.ts';
export { stages, stageWord } from '../../functions/core/pipeline/pipeline.ts';

/** An entry of the log. Its strings come from outside and are shown as text only. */
export type Entry = ReceivedEntry;
type EntryDocument = NonNullable<Entry['doc']>;
export type Stage = EntryDocument['stages'][number];
export type DocumentedEntry = Entry & { readonly doc: EntryDocument };

/** Returns the id of an entry: its address begins as the request did that made it. */
export function idOf({ id }: Pick<Entry, 'id'>): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Returns the number of an entry, per user from 1: the decimal digits at the end of its id. */
export function numberOf(entry: Pick<Entry, 'id'>): number {
  return Number(idOf(entry).slice(20));
}

/** Returns the commit's hash; null for an entry without one. */
export function shaOf({ commit }: Pick<Entry, 'commit'>): string | null {
  return /\/([0-9a-f]{40,64})$/i.exec(commit ?? '')?.[1] ?? null;
}

/** Returns the subject of an entry: the application, else its repository, else the caller. */
export function subjectOf({ app_name, commit, provider }: Entry): string {
  const [owner, repository] = (commit ?? '').split('/');
  return app_name || (repository ? `${owner}/${repository}` : provider);
}

/** Returns by whom an entry was asked for, for people. */
export function callerOf({ provider }: Pick<Entry, 'provider'>): string {
  return provider === GIT ? 'git push' : provider;
}

/** Returns whether the deploy has ended. A status of a later version is not known to be an end. */
export function hasEnded({ status }: Pick<Entry, 'status'>): boolean {
  return isFinal(status);
}

/** A page of the log, newest first. `sent` has the rows as the service sent them, `notice` what it says of its machine. */
export interface LogPage {
  readonly rows: readonly Entry[];
  readonly total: number;
  readonly skip: number;
  readonly sent: readonly unknown[];
  readonly notice?: string;
}

interface LogQuery {
  readonly app?: string | undefined;
  readonly limit?: number;
  readonly skip?: number;
}

/** As many entries as the service sends at once. */
export const LARGEST_PAGE = 100;

/** Returns a page of the log with documents: of all applications, or of one. */
export async function logPage(
  { user, call }: Pick<Client, 'user' | 'call'>,
  { app, limit = LARGEST_PAGE, skip = 0 }: LogQuery = {},
): Promise<LogPage> {
  const path = ['status', user, 'webhooks', ...(app === undefined ? [] : [app])];
  const page = await call({ path, query: { limit, skip, include_docs: true } });
  const sent = listIn(page, 'rows');
  const { total, notice } = fieldsOf(page);
  const said = typeof notice === 'string' ? { notice } : {};
  return { rows: entriesIn(sent), total: Number(total) || 0, skip, sent, ...said };
}

export async function readEntry({ user, call }: Pick<Client, 'user' | 'call'>, id: string): Promise<Entry> {
  return entryOf(await call({ path: ['status', user, 'changes', id], query: { include_docs: true } }));
}

const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 1_000;
/** A restart of the service takes seconds. */
const PATIENCE = { maxFailures: 5, times: { maxPauseMs: 4_000 } };

/**
 * Yields an entry again and again, until its deploy has ended or the signal aborts.
 *
 * @throws Problem when another attempt would be refused as well; the last error when the service stays away
 */
export function followEntry(
  client: Pick<Client, 'user' | 'call'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Entry, void> {
  const stream = async function* (came: () => void) {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 1.1, LONGEST_PAUSE_MS)) {
      const entry = await readEntry(client, id);
      came();
      yield entry;
      if (hasEnded(entry)) break;
      await pause(pauseMs, signal);
    }
    return true;
  };
  return resumed({ stream, signal, ...PATIENCE });
}

/**
 * Returns the entries in an answer. What is none is left out: after an update of the service, or from a proxy in
 * between, an answer may be another one than expected, and one row must not hide all others.
 */
export function entriesIn(rows: unknown): readonly Entry[] {
  return listOf(rows).flatMap((row) => entryIn(row) ?? []);
}

/** Returns the entry that an answer is. Throws `Unreadable` when it is none. */
function entryOf(answer: unknown): Entry {
  const entry = entryIn(answer);
  if (entry) return entry;
  throw new Unreadable();
}

/** Returns the entry that a value is; null when it is none. */
export function entryIn(row: unknown): Entry | null {
  if (!isEntry(row)) return null;
  const { doc, ...fields } = row;
  return typeof doc === 'object' && doc !== null ? { ...fields, doc: withLists(doc) } : fields;
}

function isEntry(row: unknown): row is Entry {
  const { id, seq, status } = fieldsOf(row);
  return (
    typeof id === 'string' && /[0-9a-f]{20}\d{12}$/.test(id) && Number.isInteger(seq) && typeof status === 'string'
  );
}

/** The lists of a document are shown without a further look. */
function withLists(doc: EntryDocument): EntryDocument {
  const { stages, log_tail } = doc;
  return { ...doc, stages: listOf(stages).filter(isStage), log_tail: listOf(log_tail).filter(isText) };
}

function isStage(stage: unknown): stage is Stage {
  const { name, status } = fieldsOf(stage);
  return typeof name === 'string' && typeof status === 'string';
}

function isText(line: unknown): line is string {
  return typeof line === 'string';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
