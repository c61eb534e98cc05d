import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { ownerIdKey, ownerKey, ownerOf } from '../../../core/entry/app-owner.ts';
import type { Entry } from '../../../core/entry/entry.ts';
import { appName } from '../../../core/entry/package-name.ts';
import { applied, dueAfter, startsStage, type Transition } from '../../../core/entry/transition.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import { updateOf } from '../../aws/attributes.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { badgeUpdate, underWay } from './badge.ts';
import { promotion } from './branch.ts';
import { commitStateUpdates } from './commit-state.ts';
import { countersUpdate, type WriteContext } from './counters.ts';
import { changeItem, entryItem, entryOf, type Item, keys, N, numberIn, S, type Work, workOf } from './items.ts';
import { conditionFailed, readItem, transact } from './table.ts';

/** Tries to write a transition once. Returns `again` when another writer was faster, null as `DeployLog.move` does. */
export async function moveOnce(
  context: WriteContext,
  { user, number }: Job,
  decide: (entry: Entry) => Transition | null,
): Promise<Entry | null | 'again'> {
  const { client, counters } = context;
  const item = await readItem(context, keys.entry(user, number));
  if (!item) return null;
  const before = entryOf(item);
  const transition = decide(before);
  if (!transition) return before;
  const after = applied(before, transition, counters.guess(user).changes + 1);
  const work = workOf(item);
  const joinedApp = work.appPosition === null ? await appItem(context, after) : null;
  const items = itemsOf(context, { before, after, work, joinedApp }, transition);
  const guarded = commitStateUpdates(context.table, after, transition, context.clock.now());
  const refusal = await transact(client, [...items, ...guarded]);
  if (!refusal) {
    counters.set(user, { ...counters.guess(user), changes: after.seq });
    return after;
  }
  // The refusal is read by position: the counters come first, the guarded commit state last.
  if (conditionFailed(refusal, 0)) counters.setFrom(user, refusal.reasons[0]?.Item);
  return guarded.length > 0 && conditionFailed(refusal, items.length) ? null : 'again';
}

/** An entry before and after a transition, with the attributes of its item outside the document. */
interface Moved {
  readonly before: Entry;
  readonly after: Entry;
  readonly work: Work;
  /** The item of the application that the entry joins, empty for a new application; null when it joins none. */
  readonly joinedApp: Item | null;
}

/** Returns the writes of a transition, except that of the commit state. */
function itemsOf(context: WriteContext, moved: Moved, transition: Transition): TransactWriteItem[] {
  const { table, counters, clock } = context;
  const { before, after } = moved;
  const last = counters.guess(after.user);
  const expires = expiry(clock.now(), RETENTION_SECONDS.change);
  return [
    countersUpdate(table, after.user, last, { ...last, changes: after.seq }),
    entryPut(table, entryItem(after, workAfter(moved, transition), dueAfter(after, transition)), moved),
    { Put: { TableName: table, Item: changeItem(after, expires, counters.isWatched(after.user)) } },
    ...appUpdate(table, moved, transition),
    ...promotion(table, after, transition),
    ...heldUpdate(table, moved, expires),
    ...badgeUpdate(table, after, { entry: before, counted: moved.work.counted }),
  ];
}

/** Returns the update by which what is held of a pull request is found, when a preview is held, or no longer. */
function heldUpdate(table: string, { before, after }: Moved, expires: number): TransactWriteItem[] {
  const isHeld = after.status === 'held';
  const owner = isHeld === (before.status === 'held') ? null : ownerOf(after);
  if (!owner?.pullRequest) return [];
  return [
    {
      Update: {
        TableName: table,
        Key: keys.held(after.user, ownerIdKey(owner) ?? ownerKey(owner)),
        UpdateExpression: `SET expires = :expires ${isHeld ? 'ADD' : 'DELETE'} held :number`,
        ExpressionAttributeValues: { ':expires': N(expires), ':number': { NS: [String(after.number)] } },
      },
    },
  ];
}

function workAfter({ before, after, work, joinedApp }: Moved, { keepsLease }: Transition): Work {
  const starts = startsStage(before, after);
  return {
    attempts: starts ? 0 : work.attempts,
    restarts: starts ? 0 : work.restarts,
    lease: keepsLease ? work.lease : null,
    takenAt: starts ? null : work.takenAt,
    appPosition: joinedApp ? entriesOf(joinedApp) + 1 : work.appPosition,
    counted: underWay(after),
    lookAt: work.lookAt,
  };
}

async function appItem(context: WriteContext, { user, appName }: Entry): Promise<Item | null> {
  return appName === null ? null : ((await readItem(context, keys.app(user, appName))) ?? {});
}

function entriesOf(app: Item): number {
  return numberIn(app, 'entries') ?? 0;
}

/** A claim makes no change in the feed, so `seq` alone does not show that a worker has taken the stage meanwhile. */
function entryPut(table: string, item: Item, { before: { seq }, work: { lease } }: Moved): TransactWriteItem {
  return {
    Put: {
      TableName: table,
      Item: item,
      ConditionExpression: `seq = :seq AND ${lease === null ? 'attribute_not_exists(lease)' : 'lease = :lease'}`,
      ExpressionAttributeValues: { ':seq': N(seq), ...(lease !== null && { ':lease': N(lease) }) },
    },
  };
}

/**
 * Returns the update that counts an entry that joins its application, and stores the deploy that the application runs,
 * or that it runs none.
 */
function appUpdate(table: string, { after, joinedApp }: Moved, transition: Transition): TransactWriteItem[] {
  const { activates, deactivates } = transition;
  if (after.appName === null || (!joinedApp && !activates && !deactivates)) return [];
  const isFirst = joinedApp !== null && entriesOf(joinedApp) === 0;
  const joins = joinedApp && joining(entriesOf(joinedApp));
  const entries = joinedApp ? N(entriesOf(joinedApp) + 1) : undefined;
  const active = activates ? N(after.number) : deactivates ? null : undefined;
  const { ExpressionAttributeValues, ...set } = updateOf({ entries, active });
  const values = { ...ExpressionAttributeValues, ...joins?.values };
  return [
    {
      Update: {
        TableName: table,
        Key: keys.app(after.user, after.appName),
        ...set,
        ...(joins && { ConditionExpression: joins.condition }),
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      },
    },
    ...(activates || isFirst ? nameUpdate(table, after.user, after.appName, activates === true) : []),
  ];
}

/** Returns the update by which the platform's name of an application leads to that of its package, where these differ. */
function nameUpdate(table: string, user: string, name: string, isActive: boolean): TransactWriteItem[] {
  const app = appName(name);
  if (app === name || app === '') return [];
  const UpdateExpression = `SET package = ${isActive ? ':name' : 'if_not_exists(package, :name)'}`;
  const ExpressionAttributeValues = { ':name': S(name) };
  return [{ Update: { TableName: table, Key: keys.app(user, app), UpdateExpression, ExpressionAttributeValues } }];
}

function joining(entries: number) {
  const same = 'entries = :before';
  return {
    condition: entries === 0 ? `attribute_not_exists(entries) OR ${same}` : same,
    values: { ':before': N(entries) },
  };
}
