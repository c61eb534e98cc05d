import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';

const database = new DynamoDBClient({});

/** Works on the queue: writes each order into the table. */
export async function handler({ Records }: SQSEvent): Promise<void> {
  for (const { body } of Records) {
    const { id, article } = JSON.parse(body);
    const Item = { id: { S: id }, article: { S: article } };
    await database.send(new PutItemCommand({ TableName: process.env.TABLE, Item }));
  }
}
