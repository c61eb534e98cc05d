import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { type ConnectionOptions, lines, Refused } from './connection.ts';
import { type Row, readLine } from './row.ts';

/** The service, the user and the first change to follow. */
export interface FollowOptions {
  /** The service's base address. */
  readonly url: string;
  readonly user: string;
  /** Password or API token. */
  readonly secret: string;
  /** Changes after this `seq` are returned; `now` (default) returns only new ones. */
  readonly since?: number | 'now';
  /** Only changes of this application. */
  readonly app?: string;
  readonly includeDocs?: 'true' | 'false' | 'auto';
  /** Ends the generator without an error. */
  readonly signal?: AbortSignal;
  /** Called once per interruption with its cause, as part of a sentence. */
  readonly onInterruption?: (cause: string) => void;
  readonly times?: Partial<Times>;
}

export interface Times {
  /** Shortest and longest pause before the next attempt. */
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
  /** A connection without a byte for that long is dead: three heartbeats are missing. */
  readonly silenceMs: number;
  /** A stream that lived that long resets the back-off: what follows is a new interruption. */
  readonly stableMs: number;
}

const DEFAULT_TIMES: Times = { minPauseMs: 500, maxPauseMs: 30_000, silenceMs: 45_000, stableMs: 30_000 };

/**
 * Returns the user's changes in order, each once, and reconnects as often as needed. Ends when `signal` aborts or the
 * caller leaves the loop.
 *
 * @throws Refused when another attempt would fail as well: wrong login, wrong address
 */
export async function* followChanges(options: FollowOptions): AsyncGenerator<Row, void> {
  const { signal = new AbortController().signal, onInterruption = () => {} } = options;
  const times = { ...DEFAULT_TIMES, ...options.times };
  const cursor: Cursor = { since: options.since ?? 'now' };
  let failures = 0;
  let reported = false;
  const reset = () => {
    failures = 0;
    reported = false;
  };
  while (!signal.aborted) {
    const startedAt = performance.now();
    let cause: string | null;
    try {
      cause = yield* stream(cursor, { ...options, signal, times }, reset);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) throw error;
      cause = causeOf(error);
    }
    if (performance.now() - startedAt >= times.stableMs) reset();
    if (cause !== null && !reported) onInterruption(cause);
    reported ||= cause !== null;
    await pause(failures, times, signal);
    failures += 1;
  }
}

/** The last change that was returned; `now` until its number is known. */
interface Cursor {
  since: number | 'now';
}

type StreamOptions = FollowOptions & { readonly signal: AbortSignal; readonly times: Times };

/** Yields the changes of one connection and moves the cursor. Returns why it ended; null at its time limit. */
async function* stream(cursor: Cursor, options: StreamOptions, onRow: () => void): AsyncGenerator<Row, string | null> {
  let seen = cursor.since === 'now' ? await lastSeq(options) : cursor.since;
  cursor.since = seen;
  for await (const line of lines(connection(options, { since: String(seen) }))) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (!read) return 'it sent something that is not a change';
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

/** A stream from `now` does not say where it starts: if it were cut before its first row, nothing could continue it. */
async function lastSeq(options: StreamOptions): Promise<number> {
  let text = '';
  for await (const line of lines(connection(options, { since: 'now', feed: 'normal' }))) text += line;
  const page = v.parse(v.object({ last_seq: v.number(), code: v.optional(v.string()) }), JSON.parse(text));
  if (page.code !== undefined) throw new Error(`it answered with ${page.code}`);
  return page.last_seq;
}

function connection(options: StreamOptions, parameters: Readonly<Record<string, string>>): ConnectionOptions {
  const { url, user, secret, signal, times, app, includeDocs = 'false' } = options;
  const heartbeat = String(Math.ceil(times.silenceMs / 3));
  const query = new URLSearchParams({ ...parameters, heartbeat, include_docs: includeDocs, ...(app && { app }) });
  const address = `${url.replace(/\/+$/, '')}/1/status/${encodeURIComponent(user)}/changes?${query}`;
  return { address, user, secret, signal, silenceMs: times.silenceMs };
}

/** Exponential back-off with jitter, so that clients that were disconnected together do not reconnect together. */
async function pause(failures: number, { minPauseMs, maxPauseMs }: Times, signal: AbortSignal): Promise<void> {
  const limit = Math.min(maxPauseMs, minPauseMs * 2 ** (failures + 1));
  await setTimeout(minPauseMs + Math.random() * (limit - minPauseMs), undefined, { signal }).catch(() => {});
}

/** `fetch` puts the reason of a failure into the error's cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const known = cause instanceof Error ? cause : error;
  return 'code' in known && typeof known.code === 'string' ? known.code : known.message;
}
