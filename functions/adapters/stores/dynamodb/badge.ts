import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { badgeOf } from '../../../core/entry/badge.ts';
import { type Entry, isDeploy, isFinal } from '../../../core/entry/entry.ts';
import type { Badge } from '../../../core/ports/log-reader.ts';
import { type Item, keys, S, stringIn } from './items.ts';

const UNDER_WAY = 'under_way#';

/**
 * Returns the update of the badge of an entry's repository. Each unfinished entry has an attribute of its own, so that
 * the end of one does not hide another; `outcome` is the result of the last one that ended with a result. After an
 * entry that ends without a result (skipped, superseded), the badge shows the previous result again. An application in
 * a folder of its repository has a badge of its own besides that of the repository.
 */
export function badgeUpdate(table: string, entry: Entry): TransactWriteItem[] {
  const { user, repository, path } = entry;
  if (!repository || !isDeploy(entry)) return [];
  const update = badgeExpression(entry, badgeOf(entry));
  const paths = path === undefined ? [undefined] : [undefined, path];
  return paths.map((one) => ({ Update: { TableName: table, Key: keys.badge(user, repository.name, one), ...update } }));
}

function badgeExpression(entry: Entry, value: Badge | null) {
  const ExpressionAttributeNames = { '#own': `${UNDER_WAY}${entry.number}` };
  if (value === null) return { UpdateExpression: 'REMOVE #own', ExpressionAttributeNames };
  const ExpressionAttributeValues = { ':value': S(value) };
  return { UpdateExpression: updateOf(entry), ExpressionAttributeNames, ExpressionAttributeValues };
}

/** A crash does not replace the outcome of the deploy: after it, the badge shows that outcome again. */
function updateOf({ status, appEvent }: Entry): string {
  if (status === 'crashed') return 'SET crashed = :value REMOVE #own';
  // After a crash, `ok` is not the result of a deploy: a later one may have failed.
  const outcome = appEvent === undefined ? ':value' : 'if_not_exists(outcome, :value)';
  if (status === 'ok') return `SET outcome = ${outcome} REMOVE #own, crashed`;
  return isFinal(status) ? 'SET outcome = :value REMOVE #own' : 'SET #own = :value';
}

/** Returns the badge in an item: the newest unfinished entry, or else a crash, or else the last result. */
export function shownBadge(item: Item | undefined): Badge {
  const numbers = Object.keys(item ?? {}).flatMap((name) =>
    name.startsWith(UNDER_WAY) ? [Number(name.slice(UNDER_WAY.length))] : [],
  );
  const newest = stringIn(item, `${UNDER_WAY}${Math.max(...numbers)}`);
  return (newest ?? stringIn(item, 'crashed') ?? stringIn(item, 'outcome') ?? 'unknown') as Badge;
}
