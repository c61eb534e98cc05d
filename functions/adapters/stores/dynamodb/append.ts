import { gzipSync } from 'node:zlib';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Entry, entryId, isFinal } from '../../../core/entry/entry.ts';
import { DeployError } from '../../../core/errors.ts';
import type { Appending } from '../../../core/ports/deploy-log.ts';
import { badgeUpdate } from './badge.ts';
import { branchNews } from './branch.ts';
import { checkUpdate } from './gate.ts';
import { headUpdate } from './heads.ts';
import { changeItem, entryItem, type Item, keys, N, numberIn } from './items.ts';
import { expiry, retention } from './retention.ts';
import type { WriteContext } from './table.ts';
import { conditionFailed, type Refusal, transact } from './transact.ts';

/** An item has at most 400 kB and a transaction 4 MB; payloads compress to a tenth, so that one part is the rule. */
const PART_BYTES = 350_000;
const MOST_PARTS = 10;

type Appended = { readonly entry: Entry } | { readonly duplicateOf: number } | 'again';

/** Tries to append once; `again` when another writer was faster. */
export async function appendOnce(context: WriteContext, appending: Appending): Promise<Appended> {
  const { user } = appending.draft;
  const entry = numberedEntry(context, appending);
  const items = writes(context, appending, entry);
  const refusal = await transact(context.client, items);
  if (!refusal) {
    context.heads.learn(user, { changes: entry.seq, entries: entry.number });
    return { entry };
  }
  return refused(context, user, refusal);
}

function numberedEntry({ heads, ids }: WriteContext, { draft }: Appending): Entry {
  const head = heads.guess(draft.user);
  const number = head.entries + 1;
  return { ...draft, number, id: entryId(ids.hex(20), number), seq: head.changes + 1 };
}

/** The first two places are the ones that a refusal is read from: the counters, then the delivery. */
function writes(context: WriteContext, appending: Appending, entry: Entry): TransactWriteItem[] {
  const { heads, table, clock } = context;
  const { once, due } = appending;
  const now = clock.now();
  const put = (Item: Item) => ({ Put: { TableName: table, Item } });
  const work = { attempts: 0, lease: null, takenAt: null, appPosition: null };
  return [
    headUpdate(table, entry.user, heads.guess(entry.user), { changes: entry.seq, entries: entry.number }),
    ...(once === null ? [] : [deliveryPut(table, entry, once, appending.replaces, now)]),
    put(changeItem(entry, expiry(now, retention.change))),
    put(entryItem(entry, work, due)),
    ...payloadItems(entry, appending.payload, now).map(put),
    ...branchNews(table, entry, appending),
    ...checkUpdate(table, entry, appending.outcome, now),
    // What is over from the start (another branch, a duplicate) is no news of the repository's deploys.
    ...(isFinal(entry.status) ? [] : badgeUpdate(table, entry)),
  ];
}

function refused({ heads }: WriteContext, user: string, refusal: Refusal): Appended {
  const known = refusal.reasons[1]?.Item;
  // Asked first: whoever sends the same delivery twice also finds that the counters have moved.
  if (conditionFailed(refusal, 1) && known) return { duplicateOf: numberIn(known, 'number') ?? 0 };
  if (conditionFailed(refusal, 0)) heads.learnItem(user, refusal.reasons[0]?.Item);
  return 'again';
}

function deliveryPut(
  table: string,
  { user, number }: Entry,
  once: string,
  replaces: number | null,
  now: number,
): TransactWriteItem {
  const replacing = replaces !== null;
  return {
    Put: {
      TableName: table,
      Item: { ...keys.delivery(user, once), number: N(number), expires: N(expiry(now, retention.delivery)) },
      ConditionExpression: replacing ? 'attribute_not_exists(pk) OR #number = :replaces' : 'attribute_not_exists(pk)',
      ...(replacing && {
        ExpressionAttributeNames: { '#number': 'number' },
        ExpressionAttributeValues: { ':replaces': N(replaces) },
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

function payloadItems({ user, number }: Entry, payload: Uint8Array, now: number): Item[] {
  const packed = gzipSync(payload);
  const parts = Math.max(1, Math.ceil(packed.length / PART_BYTES));
  if (parts > MOST_PARTS)
    throw new DeployError('request:too_large', 'The payload hardly compresses and cannot be stored.');
  return Array.from({ length: parts }, (_, part) => ({
    ...keys.payload(user, number, part),
    gzip: { B: packed.subarray(part * PART_BYTES, (part + 1) * PART_BYTES) },
    expires: N(expiry(now, retention.payload)),
  }));
}
