import { randomUUID } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

/** Stores what CloudWatch Logs sends. */
export async function handler(event: unknown): Promise<void> {
  const object = {
    Bucket: process.env.BUCKET,
    Key: `notices/${Date.now()}-${randomUUID()}`,
    Body: JSON.stringify(event),
  };
  await new S3Client({ forcePathStyle: true }).send(new PutObjectCommand(object));
}
