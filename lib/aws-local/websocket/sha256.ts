import { createHash, createHmac } from 'node:crypto';

type Bytes = string | ArrayBuffer | ArrayBufferView;

/**
 * Node's SHA-256, or HMAC when there is a secret, with the interface of `SignatureV4`. Each object makes one digest.
 */
export class Sha256 {
  readonly #hash;

  constructor(secret?: Bytes) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: Bytes): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('A SHA-256 is used once.');
  }
}

function bytesOf(data: Bytes): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
