import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Entry, entryId, isFinal } from '../../../core/entry/entry.ts';
import type { AppendRequest, AppendResult } from '../../../core/ports/log.ts';
import { updateOf } from '../../aws/attributes.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { overruledUntil } from './apps/app-facts.ts';
import { badgeUpdate, underWay } from './badge.ts';
import { branchUpdate } from './branch.ts';
import { checkUpdates, skipUpdate } from './commit-state.ts';
import { countersUpdate, type WriteContext } from './counters.ts';
import { changeItem, entryItem, type Item, keys, N, numberIn } from './items.ts';
import { conditionFailed, type Refusal, transact } from './table.ts';

/** Tries to append once. Returns `again` when another writer was faster. */
export async function appendOnce(context: WriteContext, request: AppendRequest): Promise<AppendResult | 'again'> {
  const { user } = request.draft;
  const overruledBefore = request.overrules === undefined ? 0 : await overruledUntil(context, user, request.overrules);
  const entry = { ...numberedEntry(context, request), ...(overruledBefore > 0 && { overruledBefore }) };
  const items = writes(context, request, entry);
  const results = checkUpdates(context.table, entry, request, context.clock.now());
  const refusal = await transact(context.client, [...items, ...results.map(({ update }) => update)]);
  if (!refusal) {
    context.counters.set(user, { ...context.counters.guess(user), changes: entry.seq, entries: entry.number });
    return { entry };
  }
  const outcome = refused(context, user, refusal);
  const earlier = results.filter((_, place) => conditionFailed(refusal, items.length + place));
  if (outcome !== 'again' || earlier.length === 0) return outcome;
  return appendOnce(context, earlier.reduce(withoutResult, request));
}

/** The result of an earlier run replaces none that is known, as a neutral one. */
function withoutResult(request: AppendRequest, { of }: { readonly of: 'checkResult' | 'commitResult' }): AppendRequest {
  return { ...request, [of]: { ...request[of], outcome: 'neutral' } };
}

function numberedEntry({ counters, ids }: WriteContext, { draft }: AppendRequest): Entry {
  const last = counters.guess(draft.user);
  const number = last.entries + 1;
  const seq = last.changes + 1;
  return { ...draft, ...(draft.kind === 'operation' && { order: seq }), number, id: entryId(ids.hex(20), number), seq };
}

/** Refusals are read by position: the counters come first, then the delivery. */
function writes(context: WriteContext, request: AppendRequest, entry: Entry): TransactWriteItem[] {
  const { counters, table, clock } = context;
  const { deliveryKey, dueAt } = request;
  const now = clock.now();
  const put = (Item: Item) => ({ Put: { TableName: table, Item } });
  const work = {
    attempts: 0,
    restarts: 0,
    lease: null,
    takenAt: null,
    appPosition: null,
    counted: underWay(entry),
    lookAt: null,
  };
  return [
    countersUpdate(table, entry.user, counters.guess(entry.user), { changes: entry.seq, entries: entry.number }),
    ...(deliveryKey ? [deliveryPut(table, entry, { ...request, deliveryKey }, now)] : []),
    put(changeItem(entry, expiry(now, RETENTION_SECONDS.change), counters.isWatched(entry.user))),
    put(entryItem(entry, work, isFinal(entry.status) ? null : dueAt)),
    ...branchUpdate(table, entry, request),
    ...overruling(table, entry, request),
    ...skipUpdate(table, entry, request, now),
    // An entry that is final from the start (another branch, a duplicate) leaves the badge as it is.
    ...(isFinal(entry.status) ? [] : badgeUpdate(table, entry, null)),
  ];
}

function overruling(table: string, { user, number }: Entry, { overrules }: AppendRequest): TransactWriteItem[] {
  if (overrules === undefined) return [];
  return [{ Update: { TableName: table, Key: keys.app(user, overrules), ...updateOf({ overruled: N(number) }) } }];
}

function refused({ counters }: WriteContext, user: string, refusal: Refusal): AppendResult | 'again' {
  const earlier = refusal.reasons[1]?.Item;
  // Checked first: for a repeated delivery the counters have moved as well.
  if (conditionFailed(refusal, 1) && earlier) return { duplicateOf: numberIn(earlier, 'number') ?? 0 };
  if (conditionFailed(refusal, 0)) counters.setFrom(user, refusal.reasons[0]?.Item);
  return 'again';
}

function deliveryPut(
  table: string,
  { user, number, operation }: Entry,
  { deliveryKey, replaces }: { readonly deliveryKey: string; readonly replaces?: number },
  now: number,
): TransactWriteItem {
  const replacing = replaces !== undefined;
  return {
    Put: {
      TableName: table,
      Item: {
        ...keys.delivery(user, deliveryKey),
        number: N(number),
        expires: N(expiry(now, RETENTION_SECONDS[operation === 'incident' ? 'incident' : 'delivery'])),
      },
      ConditionExpression: replacing ? 'attribute_not_exists(pk) OR #number = :replaces' : 'attribute_not_exists(pk)',
      ...(replacing && {
        ExpressionAttributeNames: { '#number': 'number' },
        ExpressionAttributeValues: { ':replaces': N(replaces) },
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}
