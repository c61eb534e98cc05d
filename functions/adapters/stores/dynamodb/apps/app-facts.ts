import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { appName } from '../../../../core/entry/package-name.ts';
import type { AppEventCursor } from '../../../../core/ports/applications.ts';
import type { AppFact, AppFacts } from '../../../../core/ports/facts.ts';
import { APP_PREFIX, type Item, keys, N, numberIn, stringIn } from '../items.ts';
import { itemsIn, readItem, type Table } from '../table.ts';

/** Returns the facts about applications in DynamoDB: one item each, read in one range. */
export function dynamoDbAppFacts(table: Table): AppFacts {
  const apps = async (user: string) =>
    (await itemsIn(table, user, APP_PREFIX)).map(factOf).filter(({ entries }) => entries > 0);
  return {
    named: async (user, app) => {
      const own = await readItem(table, keys.app(user, app));
      const packageName = stringIn(own, 'package');
      const other = packageName === undefined ? undefined : await readItem(table, keys.app(user, packageName));
      let known = [own, other].flatMap((item) => (item ? factOf(item) : [])).filter(({ entries }) => entries > 0);
      // Version 1.1.0 did not note the name of the package.
      if (own && known.length === 0) known = (await apps(user)).filter(({ name }) => appName(name) === app);
      return known.find(({ active }) => active !== null) ?? known.at(-1) ?? null;
    },
    active: async (user, name) => numberIn(await readItem(table, keys.app(user, name)), 'active') ?? null,
    claimedOrder: async (user, app) => numberIn(await readItem(table, keys.app(user, app)), 'claimed') ?? 0,
    overruledUntil: (user, app) => overruledUntil(table, user, app),
  };
}

export async function overruledUntil(table: Table, user: string, app: string): Promise<number> {
  return numberIn(await readItem(table, keys.app(user, app)), 'overruled') ?? 0;
}

function factOf(item: Item): AppFact {
  return {
    name: (stringIn(item, 'sk') ?? '').slice(APP_PREFIX.length),
    active: numberIn(item, 'active') ?? null,
    entries: numberIn(item, 'entries') ?? 0,
  };
}

export function dynamoDbAppEventCursor(context: Table): AppEventCursor {
  const { client, table } = context;
  return {
    read: async () => numberIn(await readItem(context, keys.appEvents()), 'seq') ?? 0,
    write: async (seq) => {
      await client.send(new PutItemCommand({ TableName: table, Item: { ...keys.appEvents(), seq: N(seq) } }));
    },
  };
}
