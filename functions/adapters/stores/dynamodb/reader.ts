import { paginateQuery, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Change, LogReader, Page, PageQuery } from '../../../core/ports/log.ts';
import { readBadge } from './badge.ts';
import { appPartition, appSort, changeOf, changeSk, entryOf, entrySk, type Item, keys, numberIn, S } from './items.ts';
import { readEntry, readItem, readItems, type TableContext } from './table.ts';

/** The greatest number that fits into the sort key of a change. */
const MAX_SEQ = 999_999_999_999;

export function dynamoDbReader(context: TableContext): LogReader {
  return {
    read: (user, number) => readEntry(context, user, number),
    page: (query) => page(context, query),
    changes: (user, since, limit) => changes(context, user, since, limit),
    last: async (user) => numberIn(await readItem(context, keys.counters(user)), 'changes') ?? 0,
    badge: (user, repository, path) => readBadge(context, { user, repository, path }),
  };
}

/** A page is a range of numbers, because these have no gaps. So skipped entries are not read. */
async function page(context: TableContext, { user, app, skip, limit }: PageQuery): Promise<Page> {
  const total = await countOf(context, user, app);
  const newest = total - skip;
  if (newest < 1) return { total, entries: [] };
  const oldest = Math.max(1, newest - limit + 1);
  const range = app === null ? between(user, entrySk(oldest), entrySk(newest)) : ofApp(user, app, oldest, newest);
  const items = await query(context, limit, { ...range, ScanIndexForward: false });
  return { total, entries: (app === null ? items : await whole(context, items)).map(entryOf) };
}

/** The index has the keys only: with the documents each transition would write twice. */
async function whole(context: TableContext, found: readonly Item[]): Promise<Item[]> {
  return (await readItems(context, found)).filter((item) => item !== undefined);
}

async function countOf(context: TableContext, user: string, app: string | null): Promise<number> {
  const key = app === null ? keys.counters(user) : keys.app(user, app);
  return numberIn(await readItem(context, key), 'entries') ?? 0;
}

function between(user: string, from: string, to: string) {
  return {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': S(user), ':from': S(from), ':to': S(to) },
    ConsistentRead: true,
  };
}

function ofApp(user: string, app: string, oldest: number, newest: number) {
  return {
    IndexName: 'byApp',
    KeyConditionExpression: 'app_pk = :pk AND app_sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': S(appPartition(user, app)),
      ':from': S(appSort(oldest)),
      ':to': S(appSort(newest)),
    },
  };
}

async function changes(context: TableContext, user: string, since: number, limit: number): Promise<readonly Change[]> {
  const items = await query(context, limit, between(user, changeSk(since + 1), changeSk(MAX_SEQ)));
  return items.map(changeOf);
}

/** Returns the first items of a range, in several requests: one returns at most 1 MB. */
async function query(
  { client, table }: TableContext,
  limit: number,
  range: Omit<QueryCommandInput, 'TableName'>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, { TableName: table, Limit: limit, ...range })) {
    items.push(...Items);
    if (items.length >= limit) break;
  }
  return items.slice(0, limit);
}
