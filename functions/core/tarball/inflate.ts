import { createGunzip, type Gunzip } from 'node:zlib';
import { refusal } from './refuse.ts';

/** Bytes that gunzip returns at a time. Each chunk is one trip to the thread pool: 64 KiB took a fifth longer. */
const CHUNK_BYTES = 256 * 1024;

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Gunzip that says when it is done with what it was given: `write` resolves once every byte of a chunk has been
 * inflated and handed to `receive` together with the compressed bytes used so far. Nothing waits inside, so whoever
 * awaits `write` before reading on neither buffers nor runs ahead.
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
    // Also when it is not asked to end: gunzip stops at the first byte after the archive, and then answers no write.
    this.#gunzip.on('end', () => this.#waiting?.resolve());
  }

  /** Inflates a chunk. Throws `deploy:tar:corrupt`, and what `receive` throws. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#written += chunk.length;
    await this.#settled((done) => this.#gunzip.write(chunk, done));
    if (this.#gunzip.bytesWritten < this.#written) {
      throw refusal('deploy:tar:corrupt', 'goes on after the end of its gzip stream');
    }
  }

  /** To be called after the last chunk. Throws `deploy:tar:truncated` when the gzip stream is not at its end. */
  async end(): Promise<void> {
    if (this.#written === 0) throw refusal('deploy:tar:truncated', 'has no bytes');
    await this.#settled(() => this.#gunzip.end());
  }

  /** Frees the native memory; to be called in any case, and safe to call again. */
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

  #settled(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#failure !== null) reject(this.#failure);
      // A failure reaches us as `error` event, with its cause; the callback's copy of it is not needed.
      else start(() => this.#failure ?? resolve());
    });
  }
}

/** https://nodejs.org/api/zlib.html#zlib-constants */
function translated(error: NodeJS.ErrnoException): unknown {
  if (error.code === 'Z_BUF_ERROR') {
    return refusal('deploy:tar:truncated', 'ends before the end of its gzip stream', error);
  }
  if (error.code === 'Z_DATA_ERROR' || error.code === 'Z_NEED_DICT') {
    return refusal('deploy:tar:corrupt', 'is no gzip stream, or a damaged one', error);
  }
  return error;
}
