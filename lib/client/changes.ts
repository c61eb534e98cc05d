import { jsonIn } from '../../functions/core/json-value.ts';
import { type ApiRequest, type Client, causeOf, SILENCE_MS } from './client.ts';
import { fieldsOf } from './lines.ts';
import { TIME_LIMIT } from './output.ts';
import { resumed, type Times } from './resume.ts';

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
  /** A connection without a byte for that long is dead: three heartbeats are missing. */
  readonly silenceMs?: number;
  readonly times?: Partial<Times>;
}

/** A row of the feed, as the service sent it. */
type Change = Readonly<Record<string, unknown>> & { readonly id: string; readonly seq: number };

/**
 * Returns the user's changes in order, each once, and reconnects as often as needed. Ends when `signal` aborts or the
 * caller leaves the loop.
 *
 * @throws Problem when another attempt would be refused as well: wrong login, wrong address
 */
export function followChanges(client: Client, options: FollowedChanges = {}): AsyncGenerator<Change, void> {
  const { signal = new AbortController().signal, onInterruption = () => {}, since = 'now', times } = options;
  const feed: Feed = { client, options: { ...options, signal }, since };
  return resumed({
    stream: (came) => stream(feed, came),
    read: () => page(feed),
    onInterruption: (error) => onInterruption(causeOf(error)),
    signal,
    times,
  });
}

/** Returns the number of the user's last change. Throws as `Client.call` does. */
export async function lastChange(client: Client, signal?: AbortSignal): Promise<number> {
  return (await readPage({ client, options: { ...(signal && { signal }) }, since: 'now' })).last;
}

/** The feed of one user, and the last change that was returned; `now` until its number is known. */
interface Feed {
  readonly client: Client;
  readonly options: FollowedChanges;
  since: number | 'now';
}

/**
 * Yields the changes of one connection and moves the cursor, until its time limit. Throws when it ends otherwise. A log
 * that has not reached the cursor was restored from a backup, and counts from a smaller number.
 */
async function* stream(feed: Feed, came: () => void): AsyncGenerator<Change, false> {
  // A stream from `now` does not say where it starts: if it were cut before its first row, nothing could continue it.
  let seen = feed.since === 'now' ? (await readPage(feed)).last : feed.since;
  feed.since = seen;
  for await (const line of feed.client.lines(requestOf(feed))) {
    if (line.trim() === '') continue;
    const sent = jsonIn(line);
    const { code, last_seq } = fieldsOf(sent);
    if (typeof code === 'string' && typeof last_seq === 'number') {
      feed.since = last_seq;
      if (code === TIME_LIMIT) return false;
      throw new Error(`it ended the stream with ${code}`);
    }
    if (!isChange(sent)) throw new Error('it sent something that is not a change');
    if (sent.seq <= seen && (await lastChange(feed.client, feed.options.signal)) >= seen) continue;
    seen = sent.seq;
    feed.since = seen;
    came();
    yield sent;
  }
  throw new Error('the connection was cut');
}

/** Yields the changes that there are: a page needs no place for a stream. */
async function* page(feed: Feed): AsyncGenerator<Change, void> {
  const { changes, last } = await readPage(feed);
  for (const change of changes) {
    feed.since = change.seq;
    yield change;
  }
  feed.since = last;
}

async function readPage(feed: Feed): Promise<{ readonly changes: readonly Change[]; readonly last: number }> {
  const { results, last_seq, code } = fieldsOf(await feed.client.call(requestOf(feed, 'normal')));
  if (typeof code === 'string') throw new Error(`it answered with ${code}`);
  if (!Array.isArray(results) || typeof last_seq !== 'number') throw new Error('it sent something that is not a feed');
  return { changes: results.filter(isChange), last: last_seq };
}

function requestOf({ client, options, since }: Feed, feed?: 'normal'): ApiRequest {
  const { app, includeDocs = 'false', signal, silenceMs = SILENCE_MS } = options;
  const heartbeat = Math.ceil(silenceMs / 3);
  const query = { since, feed, heartbeat, include_docs: includeDocs, app };
  return { path: ['status', client.user, 'changes'], query, signal, silenceMs };
}

function isChange(value: unknown): value is Change {
  const { id, seq, status } = fieldsOf(value);
  return typeof id === 'string' && typeof seq === 'number' && typeof status === 'string';
}
