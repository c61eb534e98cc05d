import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { printable } from '../../../terminal/printable.ts';
import { type ConnectionOptions, lines, Refused, Throttled } from './connection.ts';
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
  /** The polling interval while the service has no free slot for another stream. */
  readonly pollMs: number;
}

const DEFAULT_TIMES: Times = {
  minPauseMs: 500,
  maxPauseMs: 30_000,
  silenceMs: 45_000,
  stableMs: 30_000,
  pollMs: 5_000,
};

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
    const settled = { ...options, signal, times };
    let cause: string | null;
    let isThrottled = false;
    try {
      cause = yield* stream(cursor, settled, reset);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) throw error;
      isThrottled = error instanceof Throttled;
      cause = causeOf(error);
    }
    if (performance.now() - startedAt >= times.stableMs) reset();
    if (cause !== null && !reported) onInterruption(cause);
    reported ||= cause !== null;
    if (isThrottled) yield* page(cursor, settled);
    await pause(isThrottled ? times.pollMs : backOffMs(failures, times), signal);
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
      return read.ending.code === 'status:changes:timeout'
        ? null
        : `it ended the stream with ${printable(read.ending.code)}`;
    }
    if (read.row.seq <= seen) continue;
    seen = read.row.seq;
    cursor.since = seen;
    onRow();
    yield read.row;
  }
  return 'the connection was cut';
}

/**
 * Yields the changes that there are, and moves the cursor: a page needs no place for a stream. Nothing when it fails.
 */
async function* page(cursor: Cursor, options: StreamOptions): AsyncGenerator<Row, void> {
  const read = await readPage(options, cursor.since).catch(() => null);
  for (const sent of read?.results ?? []) {
    const line = readLine(JSON.stringify(sent));
    if (!line || !('row' in line)) continue;
    cursor.since = line.row.seq;
    yield line.row;
  }
  cursor.since = read?.last_seq ?? cursor.since;
}

/** A stream from `now` does not say where it starts: if it were cut before its first row, nothing could continue it. */
async function lastSeq(options: StreamOptions): Promise<number> {
  return (await readPage(options, 'now')).last_seq;
}

const Page = v.object({ results: v.array(v.unknown()), last_seq: v.number(), code: v.optional(v.string()) });

async function readPage(options: StreamOptions, since: Cursor['since']): Promise<v.InferOutput<typeof Page>> {
  let text = '';
  for await (const line of lines(connection(options, { since: String(since), feed: 'normal' }))) text += line;
  const read = v.parse(Page, JSON.parse(text));
  if (read.code !== undefined) throw new Error(`it answered with ${printable(read.code)}`);
  return read;
}

function connection(options: StreamOptions, parameters: Readonly<Record<string, string>>): ConnectionOptions {
  const { url, user, secret, signal, times, app, includeDocs = 'false' } = options;
  const heartbeat = String(Math.ceil(times.silenceMs / 3));
  const query = new URLSearchParams({ ...parameters, heartbeat, include_docs: includeDocs, ...(app && { app }) });
  const address = `${url.replace(/\/+$/, '')}/1/status/${encodeURIComponent(user)}/changes?${query}`;
  return { address, user, secret, signal, silenceMs: times.silenceMs };
}

/** Exponential back-off with jitter, so that clients that were disconnected together do not reconnect together. */
function backOffMs(failures: number, { minPauseMs, maxPauseMs }: Times): number {
  const limit = Math.min(maxPauseMs, minPauseMs * 2 ** (failures + 1));
  return minPauseMs + Math.random() * (limit - minPauseMs);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** `fetch` puts the reason of a failure into the error's cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const known = cause instanceof Error ? cause : error;
  return 'code' in known && typeof known.code === 'string' ? known.code : printable(known.message);
}
