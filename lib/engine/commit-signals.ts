import type { Change } from '../../functions/core/ports/log.ts';
import type { OnSignal, Signals } from '../../functions/core/ports/signals.ts';

/** The signals of this process, which its own commits make. */
interface CommitSignals extends Signals {
  /** Tells the subscribers of each user of the changes that a commit wrote. */
  readonly committed: (changes: readonly Change[]) => void;
}

/** Returns the signals of changes: those that follow a commit, with the changes themselves. None is lost. */
export function commitSignals(): CommitSignals {
  const subscribers = new Map<string, Set<OnSignal>>();
  return {
    subscribe: (user, onSignal) => {
      const ofUser = subscribers.get(user) ?? new Set();
      subscribers.set(user, ofUser.add(onSignal));
      queueMicrotask(() => {
        // Covers rows that were written between the subscriber's last read and now.
        if (ofUser.has(onSignal)) onSignal(null);
      });
      return {
        close: () => {
          ofUser.delete(onSignal);
          if (ofUser.size === 0 && subscribers.get(user) === ofUser) subscribers.delete(user);
        },
      };
    },
    committed: (changes) => {
      for (const [user, ofUser] of byUser(changes, subscribers)) {
        const last = ofUser.at(-1)?.seq ?? 0;
        for (const onSignal of subscribers.get(user) ?? []) onSignal(last, ofUser);
      }
    },
  };
}

/** Returns the changes of the users that somebody waits for. */
function byUser(changes: readonly Change[], wanted: ReadonlyMap<string, unknown>): Map<string, Change[]> {
  const changesOf = new Map<string, Change[]>();
  for (const change of changes) {
    if (!wanted.has(change.user)) continue;
    const ofUser = changesOf.get(change.user) ?? [];
    ofUser.push(change);
    changesOf.set(change.user, ofUser);
  }
  return changesOf;
}
