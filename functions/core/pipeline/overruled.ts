import type { Entry } from '../entry/entry.ts';
import { appOf } from '../entry/snapshot.ts';
import type { AppFacts } from '../ports/facts.ts';
import type { DeployLog } from '../ports/log.ts';
import type { AppRef } from '../ports/platform.ts';
import type { StageOutcome, StageWork } from './stage-work.ts';

/** What knows of the operations on an application. */
export interface OverruledPorts {
  readonly appFacts: Pick<AppFacts, 'overruledUntil'>;
  readonly log: Pick<DeployLog, 'read'>;
}

/** What knows of its deploys, too. */
export interface OrderPorts extends OverruledPorts {
  readonly appFacts: Pick<AppFacts, 'overruledUntil' | 'claimedOrder'>;
}

/**
 * Returns the work of a stage for entries that no operation has overruled. A rollback, a stop, a removal or a rename counts
 * for every deploy that was accepted before it, wherever that is by then; a later deploy is not affected.
 *
 * Operations are looked up again after a failure, because a removal may be the cause of it; or a newer deploy, after which the
 * platform no longer keeps the snapshots of older ones.
 */
export function unlessOverruled(work: StageWork, ports: OrderPorts): StageWork {
  return async (entry, signal) => {
    const overruled = await overruledBy(entry, ports);
    if (overruled) return overruled;
    try {
      const outcome = await work(entry, signal);
      return outcome.kind === 'failed' ? ((await pastBy(entry, ports)) ?? outcome) : outcome;
    } catch (error) {
      const cause = await pastBy(entry, ports);
      if (cause) return cause;
      throw error;
    }
  };
}

async function pastBy(entry: Entry, ports: OrderPorts): Promise<StageOutcome | null> {
  const overruled = await overruledBy(entry, ports);
  if (overruled || entry.order === undefined) return overruled;
  const { user, app } = appOf(entry);
  if ((await ports.appFacts.claimedOrder(user, app)) <= entry.order) return null;
  const reason = `A newer deploy of ${app} was started before this one.`;
  return { kind: 'ended', status: 'superseded', reason };
}

async function overruledBy(entry: Entry, ports: OverruledPorts): Promise<StageOutcome | null> {
  const overruler = await overrulerOf(appOf(entry), entry.number, ports);
  return overruler && { kind: 'ended', status: 'superseded', reason: overruledReason(entry, overruler) };
}

/**
 * Returns the last operation that has overruled the earlier deploys of an application and was not cancelled, if it was
 * accepted after that entry; null for none.
 */
export async function overrulerOf(
  { user, app }: AppRef,
  after: number,
  { appFacts, log }: OverruledPorts,
): Promise<Entry | null> {
  let number = await appFacts.overruledUntil(user, app);
  while (number > after) {
    const overruler = await log.read(user, number);
    if (overruler?.status !== 'cancelled') return overruler;
    number = overruler.overruledBefore ?? 0;
  }
  return null;
}

/** Returns why an entry is not deployed after an operation. */
export function overruledReason(entry: Entry, { number, operation }: Entry): string {
  const { app } = appOf(entry);
  const byHand = entry.sha === null ? '' : `, or run "hooks deploy ${app} --ref ${entry.sha}"`;
  return (
    `#${number} (${operation}) of ${app} was accepted after this, which is not deployed any more. ` +
    `To deploy it nevertheless, push again${byHand}.`
  );
}
