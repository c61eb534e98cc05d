import { ConditionalCheckFailedException, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { UserStore } from '../../../core/ports/accounts.ts';
import { type Item, keys, S, stringIn } from './items.ts';
import { itemsIn, readItem, type Table } from './table.ts';

const { pk: PARTITION, sk: PREFIX } = namesIn(keys.account(''));

/** Returns the users in the table of the log: an item each, in one partition, so that a list reads nothing else. */
export function dynamoDbUsers(context: Table): UserStore {
  const { client, table: TableName } = context;
  return {
    read: async (user) => documentIn(await readItem(context, keys.account(user))) ?? null,
    write: async (user, document, replaced) => {
      const condition =
        replaced === null
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'doc = :replaced', ExpressionAttributeValues: { ':replaced': S(replaced) } };
      const put = { TableName, Item: { ...keys.account(user), doc: S(document) }, ...condition };
      try {
        await client.send(new PutItemCommand(put));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
    remove: async (user) => {
      const remove = { TableName, Key: keys.account(user), ReturnValues: 'ALL_OLD' } as const;
      return (await client.send(new DeleteItemCommand(remove))).Attributes !== undefined;
    },
    list: async () => {
      const items = await itemsIn(context, PARTITION, PREFIX);
      return new Map(items.map((item) => [namesIn(item).sk.slice(PREFIX.length), documentIn(item) ?? '']));
    },
  };
}

function namesIn(item: Item) {
  return { pk: stringIn(item, 'pk') ?? '', sk: stringIn(item, 'sk') ?? '' };
}

function documentIn(item: Item | undefined): string | undefined {
  return stringIn(item ?? {}, 'doc');
}
