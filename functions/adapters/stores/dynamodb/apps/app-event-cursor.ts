import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { AppEventCursor } from '../../../../core/ports/apps/app-events.ts';
import { keys, N, numberIn } from '../items.ts';
import { readItem, type TableContext } from '../table.ts';

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
