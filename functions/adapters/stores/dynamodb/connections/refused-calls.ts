import { createHash } from 'node:crypto';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { REFUSED_KEPT_MS, type RefusedCall, type RefusedCalls } from '../../../../core/ports/refused-calls.ts';
import { type Item, N, S, stringIn } from '../items.ts';
import { type ConnectionsContext, readItem } from '../table.ts';

/** Returns the last refused calls, in DynamoDB. Keys are digests, because the names are what strangers send. */
export function dynamoDbRefusedCalls(context: ConnectionsContext): RefusedCalls {
  const { client, table, clock } = context;
  return {
    note: async (user, call) => {
      const expires = N(Math.ceil((call.at + REFUSED_KEPT_MS) / 1000));
      const Item = { ...keyOf(user), call: S(JSON.stringify(call)), expires };
      await client.send(new PutItemCommand({ TableName: table, Item }));
    },
    last: async (user) => {
      const stored = stringIn(await readItem(context, keyOf(user)), 'call');
      const call: RefusedCall | null = stored === undefined ? null : JSON.parse(stored);
      // DynamoDB removes expired items within days, not seconds.
      return call && call.at + REFUSED_KEPT_MS > clock.now() ? call : null;
    },
  };
}

function keyOf(user: string): Item {
  return { pk: S(`R#${createHash('sha256').update(user).digest('base64url')}`), sk: S('REFUSED') };
}
