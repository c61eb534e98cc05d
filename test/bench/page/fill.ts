import { BatchWriteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { entryItem, keys, N } from '../../../functions/adapters/stores/dynamodb/items.ts';
import { draft } from '../../support/entries.ts';

/** The log of one user in a table. */
export interface FilledLog {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly user: string;
}

const BATCH = 25;

/** Writes so many entries, a multiple of 25, in place of what the user's log has. */
export async function fill({ client, table, user }: FilledLog, entries: number): Promise<void> {
  for (let first = 1; first <= entries; first += BATCH) {
    const items = Array.from({ length: BATCH }, (_, place) => itemOf(user, first + place));
    const RequestItems = { [table]: items.map((Item) => ({ PutRequest: { Item } })) };
    await client.send(new BatchWriteItemCommand({ RequestItems }));
  }
  const head = { ...keys.counters(user), changes: N(entries), entries: N(entries) };
  await client.send(new PutItemCommand({ TableName: table, Item: head }));
}

function itemOf(user: string, number: number) {
  const told = { message: `Change number ${number}`, receivedAt: Date.now(), reason: 'Another branch is deployed.' };
  const entry = { ...draft({ user, status: 'skipped', ...told }), number, seq: number };
  const id = String(number).padStart(32, '0');
  return entryItem(
    { ...entry, id },
    { attempts: 0, restarts: 0, lease: null, takenAt: null, appPosition: null, counted: null },
    0,
  );
}
