import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import type { TarballStore } from '../../core/ports/tarball-store.ts';
import { uploadStream } from './s3-upload.ts';

/** Where the tarballs lie. */
export interface S3TarballsOptions {
  /**
   * Best made with `requestChecksumCalculation` and `responseChecksumValidation` `WHEN_REQUIRED`: the signature covers
   * a SHA-256 of each part already.
   */
  readonly client: S3Client;
  readonly bucket: string;
}

/**
 * Tarballs as objects of a bucket. A tarball above 5 MiB goes up in parts; parts that could not be taken back are left
 * to the bucket's rule for incomplete uploads
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html). Errors of S3
 * come out as the SDK's.
 */
export function s3Tarballs({ client, bucket }: S3TarballsOptions): TarballStore {
  return {
    put: (key, body) => uploadStream({ client, object: { Bucket: bucket, Key: key } }, body),

    async get(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        if (!(Body instanceof Readable) || ContentLength === undefined) {
          throw new Error('S3 answered without a stream or its length.');
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
