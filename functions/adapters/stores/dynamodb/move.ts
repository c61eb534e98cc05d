import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Entry, isFinal } from '../../../core/entry/entry.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import type { Step } from '../../../core/ports/deploy-log.ts';
import { badgeOf, badgeUpdate } from './badge.ts';
import { branchGoes } from './branch.ts';
import { gateUpdate } from './gate.ts';
import { headUpdate } from './heads.ts';
import { changeItem, entryItem, entryOf, type Item, keys, N, numberIn, type Work, workOf } from './items.ts';
import { expiry, retention } from './retention.ts';
import { readItem, type WriteContext } from './table.ts';
import { conditionFailed, type Refusal, transact } from './transact.ts';

/** A step with all that its transaction needs. */
interface Moving {
  readonly before: Entry;
  readonly after: Entry;
  readonly step: Step;
  readonly work: Work;
  /** Entries of the application so far, as far as known; only for an entry that joins it. */
  readonly appEntries: number | null;
}

/** An action of the transaction, and what its refusal means. */
interface Action {
  readonly item: TransactWriteItem;
  readonly onRefusal: 'learn-head' | 'again' | 'give-up';
}

/** Tries a step once; `again` when another writer was faster. */
export async function moveOnce(
  context: WriteContext,
  { user, number }: Job,
  change: (entry: Entry) => Step | null,
): Promise<Entry | null | 'again'> {
  const item = await readItem(context, keys.entry(user, number));
  if (!item) return null;
  const before = entryOf(item);
  const step = change(before);
  if (!step) return before;
  const moving = await prepare(context, item, before, step);
  const actions = actionsOf(context, moving);
  const refusal = await transact(
    context.client,
    actions.map((action) => action.item),
  );
  if (refusal) return refused(context, user, actions, refusal);
  context.heads.learn(user, { ...context.heads.guess(user), changes: moving.after.seq });
  return moving.after;
}

async function prepare(context: WriteContext, item: Item, before: Entry, step: Step): Promise<Moving> {
  const after = { ...step.entry, seq: context.heads.guess(before.user).changes + 1 };
  const old = workOf(item);
  const joins = old.appPosition === null && after.appName !== null;
  const appEntries = joins ? await countEntries(context, after.user, after.appName ?? '') : null;
  // A hold ends the run of its stage: when it is released, the stage runs again from the first attempt.
  const sameStage = before.stage === after.stage && after.status !== 'held';
  const work = {
    attempts: sameStage ? old.attempts : 0,
    lease: step.keepsLease ? old.lease : null,
    takenAt: sameStage ? old.takenAt : null,
    appPosition: appEntries === null ? old.appPosition : appEntries + 1,
  };
  return { before, after, step, work, appEntries };
}

async function countEntries(context: WriteContext, user: string, app: string): Promise<number> {
  return numberIn(await readItem(context, keys.app(user, app)), 'entries') ?? 0;
}

function actionsOf(context: WriteContext, moving: Moving): Action[] {
  const { table, heads, clock } = context;
  const { before, after, step, work } = moving;
  const head = heads.guess(after.user);
  const expires = expiry(clock.now(), retention.change);
  return [
    { item: headUpdate(table, after.user, head, { ...head, changes: after.seq }), onRefusal: 'learn-head' },
    { item: entryPut(table, entryItem(after, work, step.due), before.seq), onRefusal: 'again' },
    { item: { Put: { TableName: table, Item: changeItem(after, expires) } }, onRefusal: 'again' },
    ...appUpdate(table, moving).map((item) => ({ item, onRefusal: 'again' as const })),
    ...branchGoes(table, after, step).map((item) => ({ item, onRefusal: 'again' as const })),
    ...gateUpdate(table, after, step, clock.now()).map((item) => ({ item, onRefusal: 'give-up' as const })),
    ...changedBadge(table, before, after).map((item) => ({ item, onRefusal: 'again' as const })),
  ];
}

function refused({ heads }: WriteContext, user: string, actions: readonly Action[], refusal: Refusal): 'again' | null {
  const failed = actions.flatMap(({ onRefusal }, place) => (conditionFailed(refusal, place) ? [onRefusal] : []));
  if (failed.includes('learn-head')) heads.learnItem(user, refusal.reasons[0]?.Item);
  return failed.includes('give-up') ? null : 'again';
}

function entryPut(table: string, item: Item, seq: number): TransactWriteItem {
  return {
    Put: {
      TableName: table,
      Item: item,
      ConditionExpression: 'seq = :seq',
      ExpressionAttributeValues: { ':seq': N(seq) },
    },
  };
}

/** An entry that joins its application, or whose deploy is what the application now runs. */
function appUpdate(table: string, { after, step, appEntries }: Moving): TransactWriteItem[] {
  if (after.appName === null || (appEntries === null && !step.activates)) return [];
  const sets: string[] = [];
  const values: Item = {};
  if (appEntries !== null) {
    sets.push('entries = :entries');
    values[':entries'] = N(appEntries + 1);
    values[':before'] = N(appEntries);
  }
  if (step.activates) {
    sets.push('active = :number');
    values[':number'] = N(after.number);
  }
  const isNew = appEntries === 0 ? 'attribute_not_exists(entries) OR entries = :before' : 'entries = :before';
  return [
    {
      Update: {
        TableName: table,
        Key: keys.app(after.user, after.appName),
        UpdateExpression: `SET ${sets.join(', ')}`,
        ...(appEntries !== null && { ConditionExpression: isNew }),
        ExpressionAttributeValues: values,
      },
    },
  ];
}

/** Most steps leave the badge as it is. */
function changedBadge(table: string, before: Entry, after: Entry): TransactWriteItem[] {
  const same = badgeOf(before) === badgeOf(after) && !isFinal(after.status);
  return same ? [] : badgeUpdate(table, after);
}
