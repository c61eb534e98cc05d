import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { type ConnectionOptions, lines, Refused } from './connection.ts';
import { type Row, readLine } from './row.ts';

/** Whose changes to follow, and from where on. */
export interface FollowOptions {
  /** The service's base address. */
  readonly url: string;
  readonly user: string;
  /** Password or API token. */
  readonly secret: string;
  /** Changes after this `seq` are given; `now` (default) for those that are still to come. */
  readonly since?: number | 'now';
  /** Only changes of this application. */
  readonly app?: string;
  readonly includeDocs?: 'true' | 'false' | 'auto';
  /** Ends the following without an error. */
  readonly signal?: AbortSignal;
  /** Told once for each trouble, in half a sentence, why the service has to be tried again. */
  readonly onTrouble?: (why: string) => void;
  readonly times?: Partial<Times>;
}

/** Milliseconds. */
export interface Times {
  /** Shortest and longest pause before the next try. */
  readonly shortest: number;
  readonly longest: number;
  /** Without a byte for so long, the connection counts as dead: three signs of life are missing. */
  readonly silence: number;
  /** A stream that lived so long was a good one: what comes after it is a new trouble. */
  readonly steady: number;
}

const usual: Times = { shortest: 500, longest: 30_000, silence: 45_000, steady: 30_000 };

/**
 * The user's changes in their order, each once, however often the connection has to be made anew. Goes on until `signal`
 * says otherwise or the caller leaves the loop.
 *
 * @throws Refused when the service will not answer however often it is asked: wrong login, wrong address
 */
export async function* followChanges(options: FollowOptions): AsyncGenerator<Row, void> {
  const { signal = new AbortController().signal, onTrouble = () => {} } = options;
  const times = { ...usual, ...options.times };
  const cursor: Cursor = { since: options.since ?? 'now' };
  let failures = 0;
  let told = false;
  const begin = () => {
    failures = 0;
    told = false;
  };
  while (!signal.aborted) {
    const began = performance.now();
    let why: string | null;
    try {
      why = yield* stream(cursor, { ...options, signal, times }, begin);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) throw error;
      why = reason(error);
    }
    if (performance.now() - began >= times.steady) begin();
    if (why !== null && !told) onTrouble(why);
    told ||= why !== null;
    await pause(failures, times, signal);
    failures += 1;
  }
}

/** What has been seen. `now` until it is known which number that is. */
interface Cursor {
  since: number | 'now';
}

type Following = FollowOptions & { readonly signal: AbortSignal; readonly times: Times };

/** Gives the changes of one connection and moves the cursor. Returns why it ended; null when it was time. */
async function* stream(cursor: Cursor, options: Following, onRow: () => void): AsyncGenerator<Row, string | null> {
  let seen = cursor.since === 'now' ? await lastSeq(options) : cursor.since;
  cursor.since = seen;
  for await (const line of lines(connection(options, { since: String(seen) }))) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (!read) return 'it sent something that is no change';
    if ('ending' in read) {
      cursor.since = Math.max(seen, read.ending.last_seq);
      return read.ending.code === 'status:changes:timeout' ? null : `it ended the stream with ${read.ending.code}`;
    }
    if (read.row.seq <= seen) continue;
    seen = read.row.seq;
    cursor.since = seen;
    onRow();
    yield read.row;
  }
  return 'the connection was cut';
}

/** A stream from `now` on does not say where it began: cut before its first row, it could not go on from there. */
async function lastSeq(options: Following): Promise<number> {
  let text = '';
  for await (const line of lines(connection(options, { since: 'now', feed: 'normal' }))) text += line;
  const page = v.parse(v.object({ last_seq: v.number(), code: v.optional(v.string()) }), JSON.parse(text));
  if (page.code !== undefined) throw new Error(`it answered with ${page.code}`);
  return page.last_seq;
}

function connection(options: Following, more: Readonly<Record<string, string>>): ConnectionOptions {
  const { url, user, secret, signal, times, app, includeDocs = 'false' } = options;
  const heartbeat = String(Math.ceil(times.silence / 3));
  const query = new URLSearchParams({ ...more, heartbeat, include_docs: includeDocs, ...(app && { app }) });
  const address = `${url.replace(/\/+$/, '')}/1/status/${encodeURIComponent(user)}/changes?${query}`;
  return { address, user, secret, signal, silence: times.silence };
}

/** Longer with each failure, and never the same for two clients that were cut off together. */
async function pause(failures: number, { shortest, longest }: Times, signal: AbortSignal): Promise<void> {
  const most = Math.min(longest, shortest * 2 ** (failures + 1));
  await setTimeout(shortest + Math.random() * (most - shortest), undefined, { signal }).catch(() => {});
}

/** `fetch` says what went wrong in its cause only. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const known = cause instanceof Error ? cause : error;
  return 'code' in known && typeof known.code === 'string' ? known.code : known.message;
}
