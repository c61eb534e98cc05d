import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Entry, isFinal } from '../../../core/entry.ts';
import type { Badge } from '../../../core/ports/deploy-log.ts';
import { keys, S } from './items.ts';

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

/**
 * Brings the badge of the entry's repository up to date: `under_way` while something is, `outcome` for what came of the
 * last one. What ends without an outcome (skipped, superseded) uncovers the outcome before it.
 */
export function badgeUpdate(table: string, entry: Entry): TransactWriteItem[] {
  if (!entry.repository) return [];
  const value = badgeOf(entry);
  const Key = keys.badge(entry.user, entry.repository.name);
  return [{ Update: { TableName: table, Key, ...badgeExpression(value, isFinal(entry.status)) } }];
}

function badgeExpression(value: Badge | null, final: boolean) {
  if (!final)
    return { UpdateExpression: 'SET under_way = :value', ExpressionAttributeValues: { ':value': S(value ?? '') } };
  if (value === null) return { UpdateExpression: 'REMOVE under_way' };
  return {
    UpdateExpression: 'SET outcome = :value REMOVE under_way',
    ExpressionAttributeValues: { ':value': S(value) },
  };
}
