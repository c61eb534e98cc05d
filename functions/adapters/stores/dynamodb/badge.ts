import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Entry, isFinal } from '../../../core/entry/entry.ts';
import type { Badge } from '../../../core/ports/log-reader.ts';
import { type Item, keys, S, stringIn } from './items.ts';

/** What an entry makes of its repository's badge; null leaves it as it was before. */
export function badgeOf({ status }: Pick<Entry, 'status'>): Exclude<Badge, 'unknown'> | null {
  switch (status) {
    case 'ok':
      return 'ok';
    case 'error':
    case 'expired':
      return 'failed';
    case 'queued':
    case 'running':
      return 'deploying';
    case 'held':
      return 'held';
    default:
      return null;
  }
}

const UNDER_WAY = 'under_way#';

/**
 * Brings the badge of the entry's repository up to date: an attribute of its own for each entry under way, so that the
 * end of one hides no other, and `outcome` for what came of the last one. What ends without an outcome (skipped,
 * superseded) uncovers the outcome before it.
 */
export function badgeUpdate(table: string, entry: Entry): TransactWriteItem[] {
  if (!entry.repository) return [];
  const value = badgeOf(entry);
  const Key = keys.badge(entry.user, entry.repository.name);
  return [{ Update: { TableName: table, Key, ...badgeExpression(entry, value) } }];
}

function badgeExpression(entry: Entry, value: Badge | null) {
  const ExpressionAttributeNames = { '#own': `${UNDER_WAY}${entry.number}` };
  if (value === null) return { UpdateExpression: 'REMOVE #own', ExpressionAttributeNames };
  const ExpressionAttributeValues = { ':value': S(value) };
  const UpdateExpression = isFinal(entry.status) ? 'SET outcome = :value REMOVE #own' : 'SET #own = :value';
  return { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues };
}

/** What an item shows: the newest entry under way, or else what came of the last one. */
export function shownBadge(item: Item | undefined): Badge {
  const numbers = Object.keys(item ?? {}).flatMap((name) =>
    name.startsWith(UNDER_WAY) ? [Number(name.slice(UNDER_WAY.length))] : [],
  );
  const newest = stringIn(item, `${UNDER_WAY}${Math.max(...numbers)}`);
  return (newest ?? stringIn(item, 'outcome') ?? 'unknown') as Badge;
}
