import { DeleteItemCommand, PutItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { StoredToken, TokenStore } from '../../../core/ports/repository-host.ts';
import { type Item, keys, S, stringIn } from './items.ts';
import { readItem, type TableContext } from './table.ts';

/** Returns the store of sealed tokens in DynamoDB. */
export function dynamoDbTokens(context: TableContext): TokenStore {
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
    list: async (user) => {
      const query = {
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': S(user), ':prefix': S('T#') },
        ConsistentRead: true,
      };
      const found: StoredToken[] = [];
      for await (const { Items = [] } of paginateQuery({ client }, query)) found.push(...Items.map(tokenOf));
      return found;
    },
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
