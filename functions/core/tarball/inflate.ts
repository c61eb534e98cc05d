import { createGunzip, type Gunzip } from 'node:zlib';
import { refusal } from './refuse.ts';

/** Bytes that gunzip returns at a time. Each chunk is one trip to the thread pool: 64 KiB took a fifth longer. */
const CHUNK_BYTES = 256 * 1024;

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Gunzip that reports when a chunk is done: `write` resolves once every byte of it has been inflated and passed to
 * `receive`, with the number of compressed bytes used so far. Nothing is queued inside, so a caller that awaits each
 * `write` keeps memory constant.
 */
export class Inflater {
  readonly #gunzip: Gunzip;
  #written = 0;
  #failure: unknown = null;
  #waiting: Waiting | null = null;

  constructor(receive: (bytes: Buffer, used: number) => void) {
    this.#gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    this.#gunzip.on('data', (bytes: Buffer) => this.#receive(bytes, receive));
    this.#gunzip.on('error', (error) => this.#fail(translated(error)));
    // The end can also come early: gunzip stops at the first byte after the archive, and then calls back for no write.
    this.#gunzip.on('end', () => this.#waiting?.resolve());
  }

  /** Inflates a chunk. Throws `deploy:tar:corrupt`, and what `receive` throws. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#written += chunk.length;
    await this.#untilDone((done) => this.#gunzip.write(chunk, done));
    if (this.#gunzip.bytesWritten < this.#written) {
      throw refusal('deploy:tar:corrupt', 'goes on after the end of its gzip stream');
    }
  }

  /** Must be called after the last chunk. Throws `deploy:tar:truncated` when the gzip stream is not complete. */
  async end(): Promise<void> {
    if (this.#written === 0) throw refusal('deploy:tar:truncated', 'has no bytes');
    await this.#untilDone(() => this.#gunzip.end());
  }

  /** Frees the native memory. Must be called in any case; a second call does nothing. */
  destroy(): void {
    this.#gunzip.destroy();
  }

  #receive(bytes: Buffer, receive: (bytes: Buffer, used: number) => void): void {
    if (this.#failure !== null) return;
    try {
      receive(bytes, this.#gunzip.bytesWritten);
    } catch (error) {
      this.#fail(error);
      this.#gunzip.destroy();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }

  #untilDone(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#failure !== null) reject(this.#failure);
      // The `error` event reports a failure with its cause, so the error that the callback gets is not needed.
      else start(() => this.#failure ?? resolve());
    });
  }
}

/** Returns the refusal for an error code of zlib: https://nodejs.org/api/zlib.html#zlib-constants */
function translated(error: NodeJS.ErrnoException): unknown {
  if (error.code === 'Z_BUF_ERROR') {
    return refusal('deploy:tar:truncated', 'ends before the end of its gzip stream', error);
  }
  if (error.code === 'Z_DATA_ERROR' || error.code === 'Z_NEED_DICT') {
    return refusal('deploy:tar:corrupt', 'is no gzip stream, or a damaged one', error);
  }
  return error;
}
