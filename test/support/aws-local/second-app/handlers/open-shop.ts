import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { EventBridgeEvent } from 'aws-lambda';

const storage = new S3Client({});

/** Runs by the schedule: keeps its event, where `GET /orders/opening` finds it. */
export async function handler(event: EventBridgeEvent<'Scheduled Event', object>): Promise<void> {
  const Body = JSON.stringify(event);
  await storage.send(new PutObjectCommand({ Bucket: process.env.BUCKET, Key: 'receipts/opening', Body }));
}
