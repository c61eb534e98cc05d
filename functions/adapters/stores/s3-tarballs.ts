import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { TarballStore } from '../../core/ports/tarball-store.ts';

const PART_BYTES = 8 * 1024 * 1024;
/** One part on its way and one being filled: 16 MiB keep the connection busy, and each more would hold 8 MiB. */
const PARTS_AT_ONCE = 2;

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
 * Tarballs as objects of a bucket. A tarball above 8 MiB goes up in parts, and appears only once its stream has ended
 * well; parts that could not be taken back are left to the bucket's rule for incomplete uploads
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html). Errors of S3
 * come out as the SDK's.
 */
export function s3Tarballs({ client, bucket }: S3TarballsOptions): TarballStore {
  return {
    put: (key, body) => upload(client, { Bucket: bucket, Key: key }, body),

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

async function upload(
  client: S3Client,
  address: { readonly Bucket: string; readonly Key: string },
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const failures: unknown[] = [];
  const noted = noting(body, (error) => void failures.push(error));
  // One chunk ahead, not sixteen: the parts are buffer enough.
  const stream = Readable.from(noted, { highWaterMark: 1 });
  try {
    await new Upload({
      client,
      params: { ...address, Body: stream, ContentType: 'application/gzip' },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    }).done();
  } catch (error) {
    // When taking the parts back fails as well, Upload throws that, and why the tarball was refused would be lost.
    throw failures.length > 0 ? failures[0] : error;
  } finally {
    stream.destroy();
  }
}

/**
 * The same chunks, and `note` of what the source throws. Without the iterator's `throw`: a stream that is given up would
 * throw its own abort into the source, which would then look like the source's.
 */
function noting(source: AsyncIterable<Uint8Array>, note: (error: unknown) => void): AsyncIterable<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          return await iterator.next();
        } catch (error) {
          note(error);
          throw error;
        }
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
