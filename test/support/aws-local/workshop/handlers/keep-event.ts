import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

/** Stores the event of a build under its id and status. */
export async function handler(event: { readonly detail: Readonly<Record<string, string>> }): Promise<void> {
  const Key = `events/${event.detail['build-id']?.split(':').at(-1)}/${event.detail['build-status']}`;
  await new S3Client({ forcePathStyle: true }).send(
    new PutObjectCommand({ Bucket: process.env.BUCKET, Key, Body: JSON.stringify(event) }),
  );
}
