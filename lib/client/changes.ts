import { type BackOff, backOffMs, pause } from './back-off.ts';
import { type ApiRequest, type Client, causeOf, Problem } from './client.ts';
import { fieldsOf, parsedJson } from './lines.ts';
import { TIME_LIMIT } from './output.ts';

/** The first change to follow, and how. */
export interface FollowedChanges {
  /** Changes after this `seq` are returned; `now` (default) returns only new ones. */
  readonly since?: number | 'now';
  /** Only changes of this application. */
  readonly app?: string | undefined;
  readonly includeDocs?: 'true' | 'false' | 'auto';
  /** Ends the generator without an error. */
  readonly signal?: AbortSignal;
  /** Called once per interruption with its cause, as part of a sentence. */
  readonly onInterruption?: (cause: string) => void;
  readonly times?: Partial<Times>;
}

interface Times extends BackOff {
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

/** A row of the feed, as the service sent it. */
type Change = Readonly<Record<string, unknown>> & { readonly id: string; readonly seq: number };

/**
 * Returns the user's changes in order, each once, and reconnects as often as needed. Ends when `signal` aborts or the
 * caller leaves the loop.
 *
 * @throws Problem when another attempt would be refused as well: wrong login, wrong address
 */
export async function* followChanges(client: Client, options: FollowedChanges = {}): AsyncGenerator<Change, void> {
  const { signal = new AbortController().signal, onInterruption = () => {} } = options;
  const times = { ...DEFAULT_TIMES, ...options.times };
  const feed: Feed = { client, options: { ...options, signal }, times, since: options.since ?? 'now' };
  let failures = 0;
  let reported = false;
  const reset = () => {
    failures = 0;
    reported = false;
  };
  while (!signal.aborted) {
    const startedAt = performance.now();
    let cause: string | null;
    let isFull = false;
    try {
      cause = yield* stream(feed, reset);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && !error.isPassing) throw error;
      isFull = error instanceof Problem && error.status === 429;
      cause = causeOf(error);
    }
    if (performance.now() - startedAt >= times.stableMs) reset();
    if (cause !== null && !reported) onInterruption(cause);
    reported ||= cause !== null;
    if (isFull) yield* page(feed);
    await pause(isFull ? times.pollMs : backOffMs(failures, times), signal);
    failures += 1;
  }
}

/** The feed of one user, and the last change that was returned; `now` until its number is known. */
interface Feed {
  readonly client: Client;
  readonly options: FollowedChanges;
  readonly times: Times;
  since: number | 'now';
}

/** Yields the changes of one connection and moves the cursor. Returns why it ended; null at its time limit. */
async function* stream(feed: Feed, onRow: () => void): AsyncGenerator<Change, string | null> {
  // A stream from `now` does not say where it starts: if it were cut before its first row, nothing could continue it.
  let seen = feed.since === 'now' ? (await readPage(feed)).last : feed.since;
  feed.since = seen;
  for await (const line of feed.client.lines(requestOf(feed))) {
    if (line.trim() === '') continue;
    const sent = parsedJson(line);
    const { code, last_seq } = fieldsOf(sent);
    if (typeof code === 'string' && typeof last_seq === 'number') {
      feed.since = Math.max(seen, last_seq);
      return code === TIME_LIMIT ? null : `it ended the stream with ${code}`;
    }
    if (!isChange(sent)) return 'it sent something that is not a change';
    if (sent.seq <= seen) continue;
    seen = sent.seq;
    feed.since = seen;
    onRow();
    yield sent;
  }
  return 'the connection was cut';
}

/** Yields the changes that there are: a page needs no place for a stream. Nothing when it fails. */
async function* page(feed: Feed): AsyncGenerator<Change, void> {
  const read = await readPage(feed).catch(() => null);
  for (const change of read?.changes ?? []) {
    feed.since = change.seq;
    yield change;
  }
  feed.since = read?.last ?? feed.since;
}

async function readPage(feed: Feed): Promise<{ readonly changes: readonly Change[]; readonly last: number }> {
  const { results, last_seq, code } = fieldsOf(await feed.client.call(requestOf(feed, 'normal')));
  if (typeof code === 'string') throw new Error(`it answered with ${code}`);
  if (!Array.isArray(results) || typeof last_seq !== 'number') throw new Error('it sent something that is not a feed');
  return { changes: results.filter(isChange), last: last_seq };
}

function requestOf({ client, options, times, since }: Feed, feed?: 'normal'): ApiRequest {
  const { app, includeDocs = 'false', signal } = options;
  const { silenceMs } = times;
  const heartbeat = Math.ceil(silenceMs / 3);
  const query = { since, feed, heartbeat, include_docs: includeDocs, app };
  return { path: ['status', client.user, 'changes'], query, signal, silenceMs };
}

function isChange(value: unknown): value is Change {
  const { id, seq, status } = fieldsOf(value);
  return typeof id === 'string' && typeof seq === 'number' && typeof status === 'string';
}
