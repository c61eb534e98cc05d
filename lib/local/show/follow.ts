import { setTimeout } from 'node:timers/promises';
import { isFinal, newestEntries, type ShownEntry } from './log-client.ts';

/** Milliseconds between two looks while something is under way. */
const PAUSE = 120;
const LOOKS_AT = 20;

/** Follows the log of the machine's user. */
export interface Follower {
  /** Says that something may have begun: the log is looked at until nothing is under way any more. */
  wake(): void;
  /** Shows once what there is by now. */
  catchUp(): Promise<void>;
  close(): void;
}

/**
 * Calls `show` with every entry that has changed since it was last shown, in their order. Looks at the log only while
 * something is under way, so that an idle service stays idle.
 */
export function follow(
  service: { readonly url: string; readonly login: { readonly user: string; readonly password: string } },
  show: (entry: ShownEntry) => void,
): Follower {
  const shown = new Map<string, string>();
  let wanted = false;
  let closed = false;
  let looks = false;

  const showNews = async () => {
    const entries = await newestEntries(service.url, service.login, LOOKS_AT).catch(() => []);
    for (const entry of entries) if (isNews(entry, shown)) show(entry);
    return entries;
  };
  const look = async () => {
    if (looks) return;
    looks = true;
    while (wanted && !closed) {
      wanted = false;
      const entries = await showNews();
      wanted ||= entries.some((entry) => !isFinal(entry) && entry.status !== 'held');
      await setTimeout(PAUSE);
    }
    looks = false;
  };
  return {
    wake: () => {
      wanted = true;
      void look();
    },
    catchUp: async () => {
      await showNews();
    },
    close: () => {
      closed = true;
    },
  };
}

function isNews(entry: ShownEntry, shown: Map<string, string>): boolean {
  const state = JSON.stringify([entry.status, entry.doc.reason, entry.doc.stages]);
  if (shown.get(entry.id) === state) return false;
  shown.set(entry.id, state);
  return true;
}
