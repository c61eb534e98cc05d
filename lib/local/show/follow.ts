import { setTimeout } from 'node:timers/promises';
import { isFinal, type ShownEntry } from '../../terminal/shown-entry.ts';
import { newestEntries } from './log-client.ts';

const POLL_MS = 120;
const MAX_ENTRIES = 20;

/** Follows the log of the local user. */
export interface Follower {
  /** Starts polling the log, until no deploy is in progress. */
  wake(): void;
  /** Shows the current entries once. */
  catchUp(): Promise<void>;
  close(): void;
}

/** The log of a user to follow, from a time on. */
export interface Followed {
  readonly url: string;
  readonly login: { readonly user: string; readonly password: string };
  /** Milliseconds since 1970: what ended before is shown only when it changes again. */
  readonly since: number;
}

/**
 * Calls `show` with every entry that has changed since it was last shown, oldest first. The log is polled only while a
 * deploy is in progress.
 */
export function follow(service: Followed, show: (entry: ShownEntry) => void): Follower {
  const shown = new Map<string, string>();
  let requested = false;
  let closed = false;
  let polling = false;

  const showChanged = async () => {
    const entries = await newestEntries(service.url, service.login, MAX_ENTRIES).catch(() => []);
    for (const entry of entries) {
      const isOld = !shown.has(entry.id) && endedBefore(entry, service.since);
      if (hasChanged(entry, shown) && !isOld) show(entry);
    }
    return entries;
  };
  const poll = async () => {
    if (polling) return;
    polling = true;
    while (requested && !closed) {
      requested = false;
      const entries = await showChanged();
      requested ||= entries.some((entry) => !isFinal(entry) && entry.status !== 'held');
      await setTimeout(POLL_MS);
    }
    polling = false;
  };
  return {
    wake: () => {
      requested = true;
      void poll();
    },
    catchUp: async () => {
      await showChanged();
    },
    close: () => {
      closed = true;
    },
  };
}

function hasChanged(entry: ShownEntry, shown: Map<string, string>): boolean {
  const state = JSON.stringify([entry.status, entry.doc.reason, entry.doc.stages]);
  if (shown.get(entry.id) === state) return false;
  shown.set(entry.id, state);
  return true;
}

function endedBefore({ doc }: ShownEntry, time: number): boolean {
  return doc.finished_at !== null && Date.parse(doc.finished_at) < time;
}
