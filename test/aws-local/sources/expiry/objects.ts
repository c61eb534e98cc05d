import { DeleteObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';

/** An expiration rule of a bucket. */
export interface Expiring {
  readonly bucket: string;
  readonly prefix: string;
  readonly days: number;
}

interface Sweep extends Expiring {
  readonly client: S3Client;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;

/**
 * Deletes the objects that are older than their rule allows. (S3 rounds up to the next midnight; this does not.)
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-expire-general-considerations.html
 */
export async function deleteExpiredObjects({ bucket, prefix, days, client, signal }: Sweep): Promise<void> {
  const before = new Date(Date.now() - days * DAY_MS);
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
    for (const { Key, LastModified } of Contents) {
      if (signal.aborted) return;
      if (LastModified && LastModified <= before) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    }
  }
}
