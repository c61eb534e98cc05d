import type { Entry } from '../../client/entry.ts';
import { entriesIn, entryIn, idOf } from '../../client/entry.ts';
import { isBetweenStages, type Log, withRows } from '../model/log.ts';
import type { Api } from './api.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { signals } from './signals.ts';
import type { Store } from './store.ts';

/** Whether changes arrive as they happen; `slow`: they are asked for every few seconds. */
export type Connection = 'connecting' | 'live' | 'slow' | 'offline';

interface LiveOptions {
  readonly api: Api;
  readonly log: Store<Log>;
  readonly connection: Store<Connection>;
  /** Opens the WebSocket; null where there is none. */
  readonly openSocket: (() => WebSocket) | null;
}

interface Feed {
  readonly results?: unknown;
  readonly last_seq?: unknown;
}

/** A signal may be lost; this is the longest time that a change stays unseen then. It also notices a revoked login. */
const CHECK_MS = 30_000;
/** The interval while neither a WebSocket nor a stream can be opened. */
export const SLOW_CHECK_MS = 10_000;
/** The interval in which entries between two stages are read again: the begin of a stage is no change of the feed. */
const STAGE_CHECK_MS = 1_000;
/** Of a long queue the oldest are read, which begin first. */
const MOST_BETWEEN_STAGES = 10;

/**
 * Keeps the log up to date until it is stopped: a signal says that there is something new, and the rows are read from
 * the feed after the last one that is known. So nothing is missed after sleep, without a network, or when a signal is
 * lost.
 */
export function live({ api, log, connection, openSocket }: LiveOptions) {
  const stop = new AbortController();
  let state: Connection = 'connecting';
  /** The number of the change that is to be read, with all before it. */
  let wanted = 0;
  const run = oneAtATime(async () => {
    // The read that was in progress when the signal came may have included its row.
    if (stop.signal.aborted || wanted <= (log.value.since ?? 0)) return;
    wanted = 0;
    await readNews();
  });

  /** Reads what is new, or makes sure that a change is known. */
  function read(last = Infinity): Promise<void> {
    wanted = Math.max(wanted, last);
    return run();
  }

  async function readNews(): Promise<void> {
    try {
      const since = log.value.since ?? 'now';
      const query = { feed: 'normal', since, include_docs: true };
      const path = ['status', api.user, 'changes'];
      const feed = await api.call<Feed>({ path, query, signal: stop.signal });
      if (typeof feed.last_seq !== 'number') throw new TypeError('That is no feed.');
      // After a restore of a backup there are entries here that never were, and others with their numbers.
      if (since !== 'now' && feed.last_seq < since) return location.reload();
      apply(entriesIn(feed.results), feed.last_seq);
      connection.set(state);
    } catch {
      if (!stop.signal.aborted) connection.set(navigator.onLine ? 'connecting' : 'offline');
    }
  }

  function apply(rows: readonly Entry[], last: number): void {
    log.update((known) => {
      const since = Math.max(known.since ?? 0, last);
      const read = withRows(known, rows);
      return read === known && since === known.since ? known : { ...read, since };
    });
  }

  async function readStages(): Promise<void> {
    for (const entry of log.value.ordered.filter(isBetweenStages).slice(-MOST_BETWEEN_STAGES)) {
      const path = ['status', api.user, 'changes', idOf(entry)];
      const answer = await api.call({ path, query: { include_docs: true }, signal: stop.signal }).catch(() => null);
      log.update((known) => withRows(known, entriesIn([answer])));
    }
  }
  const readStagesOnce = oneAtATime(readStages);

  const isHidden = () => document.visibilityState === 'hidden';
  const source = signals({
    openSocket,
    isHidden,
    signal: stop.signal,
    // Where a WebSocket cannot be opened, a stream of the changes replaces it.
    stream: (signal) =>
      api.lines({
        path: ['status', api.user, 'changes'],
        query: { since: log.value.since ?? 'now', include_docs: true },
        signal,
      }),
    onLine: (row) => {
      const entry = entryIn(row);
      if (entry) apply([entry], entry.seq);
    },
    onLast: (last) => void read(last),
    onState: (next) => {
      state = next;
      // Reading the feed shows whether it is reachable.
      if (next === 'slow') void read();
      else connection.set(next === 'connecting' && !navigator.onLine ? 'offline' : next);
    },
  });

  const wake = () => {
    if (isHidden()) return;
    source.check();
    void read();
  };
  const offline = () => connection.set('offline');
  let readAt = Date.now();
  const timer = setInterval(() => {
    const due = Date.now() - readAt >= (state === 'slow' ? 0 : CHECK_MS - SLOW_CHECK_MS / 2);
    if (isHidden() || !due) return;
    readAt = Date.now();
    void read();
  }, SLOW_CHECK_MS);
  const stageTimer = setInterval(() => {
    if (!isHidden() && state !== 'connecting') void readStagesOnce();
  }, STAGE_CHECK_MS);
  const options = { signal: stop.signal };
  document.addEventListener('visibilitychange', wake, options);
  for (const event of ['online', 'pageshow', 'focus']) window.addEventListener(event, wake, options);
  window.addEventListener('offline', offline, options);
  return {
    // Answers to later requests are not older than the feed.
    ready: read(),
    stop: () => {
      clearInterval(timer);
      clearInterval(stageTimer);
      stop.abort();
    },
  };
}
