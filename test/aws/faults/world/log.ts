import { paginateQuery } from '@aws-sdk/client-dynamodb';
import { entryOf, type Item, numberIn, stringIn } from '../../../../functions/adapters/stores/dynamodb/items.ts';
import type { UserLog } from '../../../faults/world/invariants.ts';
import type { World } from './world.ts';

/** Returns everything that the log holds of a user, and the objects in the bucket. */
export async function logOf(world: World, user: string): Promise<UserLog> {
  const { client, table } = world.table();
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: user } },
    ConsistentRead: true,
  };
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, query)) items.push(...Items);
  const withPrefix = (prefix: string) => items.filter((item) => skOf(item).startsWith(prefix));
  const numbers = (found: readonly Item[]) => found.map((item) => entryOf(item).number);
  const head = items.find((item) => skOf(item) === 'HEAD');
  const tarballs = await world.aws.objects();
  return {
    entries: withPrefix('E#').map(entryOf),
    changes: withPrefix('C#').map(entryOf),
    counted: { entries: numberIn(head, 'entries') ?? 0, changes: numberIn(head, 'changes') ?? 0 },
    listed: numbers(withPrefix('E#').filter((item) => stringIn(item, 'due_pk') !== undefined)),
    leased: numbers(withPrefix('E#').filter((item) => numberIn(item, 'lease') !== undefined)),
    active: new Map(withPrefix('A#').map((item) => [skOf(item).slice(2), numberIn(item, 'active') ?? null])),
    tarballs: tarballs.filter((key) => key.startsWith(`${user}/`)),
  };
}

function skOf(item: Item): string {
  return stringIn(item, 'sk') ?? '';
}
