import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { StoredToken, TokenStore } from '../../../core/ports/repository-host.ts';
import { type Item, keys, S, stringIn } from './items.ts';
import { itemsIn, readItem, type Table } from './table.ts';

export function dynamoDbTokens(context: Table): TokenStore {
  const { client, table } = context;
  return {
    get: async (user, host, app) => {
      const item = await readItem(context, keys.token(user, host, app));
      return item ? tokenOf(item) : null;
    },
    put: async (user, token) => {
      const Item = { ...keys.token(user, token.host, token.app), doc: S(JSON.stringify(token)) };
      await client.send(new PutItemCommand({ TableName: table, Item }));
    },
    list: async (user) => (await itemsIn(context, user, 'T#')).map(tokenOf),
    remove: async (user, host, app) => {
      const Key = keys.token(user, host, app);
      const { Attributes } = await client.send(
        new DeleteItemCommand({ TableName: table, Key, ReturnValues: 'ALL_OLD' }),
      );
      return Attributes !== undefined;
    },
  };
}

function tokenOf(item: Item): StoredToken {
  return JSON.parse(stringIn(item, 'doc') ?? 'null') as StoredToken;
}
