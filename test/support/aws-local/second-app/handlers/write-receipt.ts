import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBStreamEvent } from 'aws-lambda';

const storage = new S3Client({});

/** Reads the table's stream: writes a receipt for each new order into the bucket. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  for (const { eventName, dynamodb } of Records) {
    const { id, article } = dynamodb?.NewImage ?? {};
    const Body = JSON.stringify({ id: id?.S, article: article?.S, eventName });
    await storage.send(new PutObjectCommand({ Bucket: process.env.BUCKET, Key: `receipts/${id?.S}`, Body }));
  }
}
