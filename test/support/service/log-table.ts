import { DynamoDBClient, GetItemCommand, ListTablesCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { clientFor } from '../../../lib/aws-local/clients.ts';

/** Makes an entry older by some minutes, directly in the table: a test cannot wait for an hour. */
export async function letMinutesPass(dynamodb: string, entryId: string, minutes: number): Promise<void> {
  const client = new DynamoDBClient(clientFor(dynamodb));
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    const TableName = TableNames.find((name) => /log/i.test(name));
    const Key = { pk: { S: 'demo' }, sk: { S: `E#${entryId.slice(-12)}` } };
    const { Item } = await client.send(new GetItemCommand({ TableName, Key }));
    const entry = JSON.parse(Item?.doc?.S ?? '');
    const milliseconds = minutes * 60_000;
    const older = { ...entry, updatedAt: entry.updatedAt - milliseconds };
    if (entry.expiresAt !== undefined) older.expiresAt = entry.expiresAt - milliseconds;
    const doc = JSON.stringify(older);
    const due = String(Number(Item?.due_at?.N) - milliseconds);
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'SET doc = :doc, due_at = :due',
        ExpressionAttributeValues: { ':doc': { S: doc }, ':due': { N: due } },
      }),
    );
  } finally {
    client.destroy();
  }
}
