import type { Entry } from '../entry/entry.ts';
import { appOf } from '../entry/snapshot.ts';
import type { AppFacts } from '../ports/facts.ts';
import type { StageOutcome, StageWork } from './stage-work.ts';

/** The part of the facts that knows of operations. */
export type Overruling = Pick<AppFacts, 'overruledUntil' | 'claimedOrder'>;

/**
 * Returns the work of a stage for entries that no operation has overruled. A rollback, a stop or a removal counts for
 * every deploy that was accepted before it, wherever that is by then; a later deploy is not affected.
 *
 * Operations are looked up again after a failure, because a removal may be the cause of it; or a newer deploy, after which the
 * platform no longer keeps the snapshots of older ones.
 */
export function unlessOverruled(work: StageWork, facts: Overruling): StageWork {
  return async (entry, signal) => {
    const overruled = await overruledBy(entry, facts);
    if (overruled) return overruled;
    try {
      const outcome = await work(entry, signal);
      return outcome.kind === 'failed' ? ((await pastBy(entry, facts)) ?? outcome) : outcome;
    } catch (error) {
      const cause = await pastBy(entry, facts);
      if (cause) return cause;
      throw error;
    }
  };
}

async function pastBy(entry: Entry, facts: Overruling): Promise<StageOutcome | null> {
  const overruled = await overruledBy(entry, facts);
  if (overruled || entry.order === undefined) return overruled;
  const { user, app } = appOf(entry);
  if ((await facts.claimedOrder(user, app)) <= entry.order) return null;
  const reason = `A newer deploy of ${app} was started before this one.`;
  return { kind: 'ended', status: 'superseded', reason };
}

async function overruledBy(entry: Entry, facts: Overruling): Promise<StageOutcome | null> {
  const { user, app } = appOf(entry);
  if ((await facts.overruledUntil(user, app)) <= entry.number) return null;
  const reason =
    `${app} was rolled back, stopped or removed after this was accepted. ` +
    `To deploy it nevertheless, push again, or POST /1/apps/${user}/${app}/redeploy.`;
  return { kind: 'ended', status: 'superseded', reason };
}
