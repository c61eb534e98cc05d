import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import type { TarballStore } from '../../core/ports/stages.ts';
import { uploadStream } from '../aws/s3-upload.ts';

interface S3TarballsOptions {
  /**
   * Should have `requestChecksumCalculation` and `responseChecksumValidation` set to `WHEN_REQUIRED`: the signature
   * already covers a SHA-256 of each part.
   */
  readonly client: S3Client;
  readonly bucket: string;
}

/**
 * Returns the store of tarballs in an S3 bucket. A tarball above 5 MiB is uploaded in parts; when an abort fails, the
 * bucket's lifecycle rule removes the parts
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html). Errors of S3
 * are thrown as the SDK's.
 */
export function s3Tarballs({ client, bucket }: S3TarballsOptions): TarballStore {
  return {
    put: (key, body) => uploadStream({ client, object: { Bucket: bucket, Key: key } }, body),

    async get(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        if (!(Body instanceof Readable) || ContentLength === undefined) {
          throw new Error('The response of S3 has no stream or no length.');
        }
        return { body: Body, bytes: ContentLength };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
