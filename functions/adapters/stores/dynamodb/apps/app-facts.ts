import { PutItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { AppEventCursor } from '../../../../core/ports/applications.ts';
import type { AppFact, AppFacts } from '../../../../core/ports/facts.ts';
import { APP_PREFIX, type Item, keys, N, numberIn, S, stringIn } from '../items.ts';
import { readItem, type TableContext } from '../table.ts';

/** Returns the facts about applications in DynamoDB: one item each, read in one range. */
export function dynamoDbAppFacts(context: TableContext): AppFacts {
  const { client, table } = context;
  return {
    apps: async (user) => {
      const query = {
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': S(user), ':prefix': S(APP_PREFIX) },
        ConsistentRead: true,
      };
      const found: AppFact[] = [];
      for await (const { Items = [] } of paginateQuery({ client }, query)) found.push(...Items.map(factOf));
      return found;
    },
    active: async (user, name) => numberIn(await readItem(context, keys.app(user, name)), 'active') ?? null,
    claimedOrder: async (user, app) => numberIn(await readItem(context, keys.app(user, app)), 'claimed') ?? 0,
    overruledUntil: async (user, app) => numberIn(await readItem(context, keys.app(user, app)), 'overruled') ?? 0,
  };
}

function factOf(item: Item): AppFact {
  return {
    name: (stringIn(item, 'sk') ?? '').slice(APP_PREFIX.length),
    active: numberIn(item, 'active') ?? null,
    entries: numberIn(item, 'entries') ?? 0,
  };
}

/** Returns the cursor of the platform's events in DynamoDB. */
export function dynamoDbAppEventCursor(context: TableContext): AppEventCursor {
  const { client, table } = context;
  return {
    read: async () => numberIn(await readItem(context, keys.appEvents()), 'seq') ?? 0,
    write: async (seq) => {
      await client.send(new PutItemCommand({ TableName: table, Item: { ...keys.appEvents(), seq: N(seq) } }));
    },
  };
}
