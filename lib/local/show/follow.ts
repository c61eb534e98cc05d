import { setTimeout } from 'node:timers/promises';
import { type DocumentedEntry, hasEnded } from '../../client/entry.ts';
import type { Engine } from '../../engine/engine.ts';

/** Changes within this time are shown together. */
const PAUSE_MS = 100;
const MAX_ENTRIES = 20;

/** Follows the log of the local user. */
interface Follower {
  /** Shows what has changed since. */
  catchUp(): Promise<void>;
  close(): void;
}

/** The log of a user to follow, from a time on. */
interface Followed {
  readonly engine: Pick<Engine, 'newest' | 'signals'>;
  readonly url: string;
  readonly login: { readonly user: string };
  /** Milliseconds since 1970: what ended before is shown only when it changes again. */
  readonly since: number;
}

/** Calls `show` with every entry that has changed since it was last shown, oldest first. */
export function follow({ engine, url, login, since }: Followed, show: (entry: DocumentedEntry) => void): Follower {
  const shown = new Map<string, string>();
  let wanted = false;
  let showing = false;

  const showChanged = async () => {
    for (const { doc, ...row } of await engine.newest(login.user, MAX_ENTRIES, url)) {
      if (!doc) continue;
      const entry = { ...row, doc };
      const isOld = !shown.has(entry.id) && endedBefore(entry, since);
      if (hasChanged(entry, shown) && !isOld) show(entry);
    }
  };
  const wake = async () => {
    wanted = true;
    if (showing) return;
    showing = true;
    while (wanted) {
      wanted = false;
      await showChanged().catch(() => {});
      await setTimeout(PAUSE_MS);
    }
    showing = false;
  };
  const subscription = engine.signals.subscribe(login.user, () => void wake());
  return { catchUp: showChanged, close: subscription.close };
}

function hasChanged(entry: DocumentedEntry, shown: Map<string, string>): boolean {
  const state = JSON.stringify([entry.status, entry.doc.reason, entry.doc.stages]);
  if (shown.get(entry.id) === state) return false;
  shown.set(entry.id, state);
  return true;
}

function endedBefore({ doc, ...entry }: DocumentedEntry, time: number): boolean {
  return hasEnded(entry) && doc.finished_at !== null && Date.parse(doc.finished_at) < time;
}
